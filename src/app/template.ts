import agentsFile from './agents.md?raw';
import { schemaAddress } from './json-schema.ts';
import { toToml } from './toml/format.ts';

export interface TemplateOptions {
  configFile: string;
  name: string;
  compute?: string | undefined;
  region?: string | undefined;
  pythonVersion?: string | undefined;
  agents?: boolean | undefined;
}

/** The files that `gantry init` writes: an app that can be deployed, with comments on what to change. */
export function projectTemplate(options: TemplateOptions): Record<string, string> {
  const files = { [options.configFile]: configText(options), 'main.py': mainFile };
  return options.agents ? { ...files, 'AGENTS.md': agentsFile } : files;
}

function configText({ name, compute = 'CPU', region, pythonVersion = '3.12' }: TemplateOptions): string {
  const accelerator = compute === 'CPU' ? '' : 'gpu_count = 1\n';
  return `${schemaAddress ? `#:schema ${schemaAddress}\n\n` : ''}[cerebrium.deployment]
name = ${toToml(name)}
python_version = ${toToml(pythonVersion)}
disable_auth = false        # true makes the app public
include = ["*"]             # files to send
exclude = [".*"]            # files to skip

[cerebrium.hardware]
compute = ${toToml(compute)}
${accelerator}cpu = 2                     # cores
memory = 4.0                # GB
${region === undefined ? '# region = "us-east-1"      # picked by the platform unless set' : `region = ${toToml(region)}`}

[cerebrium.scaling]
min_replicas = 0            # 0 scales to zero when idle
max_replicas = 2
cooldown = 30               # seconds without requests before a replica stops

[cerebrium.dependencies.pip]
# numpy = "latest"
# torch = ">=2.4,<3"
`;
}

const mainFile = `"""Every function here can be called over the network, by its name."""


def run(name: str = "world"):
    print(f"saying hello to {name}")
    return {"message": f"Hello, {name}!"}
`;
