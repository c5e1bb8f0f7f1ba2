import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkAppConfig } from '../../src/app/config.ts';
import { newFolder } from '../support/files.ts';
import { check, line, lines } from './config-folder.ts';

/** Lines after the header and a name, and what is said: problems start on line 3. */
type Case = readonly [title: string, lines: string, ...problems: string[]];

const custom = (entrypoint: string, more = '') => `[cerebrium.runtime.custom]\nentrypoint = ${entrypoint}\n${more}`;
const hardware = (lines: string) => `[cerebrium.hardware]\n${lines}`;
const scaling = (lines: string) => `[cerebrium.scaling]\n${lines}`;
const pip = (lines: string) => `[cerebrium.dependencies.pip]\n${lines}`;

const table = (cases: readonly Case[], files?: Record<string, string>) =>
  test.each(cases.map(([title, lines, ...problems]) => ({ title, lines, problems })))('$title', async (one) => {
    const { problems } = await check(`[cerebrium.deployment]\nname = "app"\n${one.lines}`, files);
    expect(lines(problems)).toEqual(one.problems);
  });

describe('a value of the wrong type is an error, never coerced', () => {
  // biome-ignore format: a case is a line
  table([
    ['a version as a number', 'python_version = 3.10', 'error 3:18 python_version must be a string, got a decimal number -> python_version = "3.10"'],
    ['a whole number for text', 'docker_base_image_url = 5', 'error 3:25 docker_base_image_url must be a string, got a number -> docker_base_image_url = "5"'],
    ['a list of one for text', 'python_version = ["3.12"]', 'error 3:18 python_version must be a string, got a list -> python_version = "3.12"'],
    ['text for a number', scaling('min_replicas = "3"'), 'error 4:16 min_replicas must be a whole number, got a string -> min_replicas = 3'],
    ['a fraction for an integer', scaling('min_replicas = 1.5'), 'error 4:16 min_replicas must be a whole number, got a decimal number'],
    ['2.0 for an integer', scaling('max_replicas = 2.0'), 'error 4:16 max_replicas must be a whole number, got a decimal number -> max_replicas = 2'],
    ['an integer beyond reason', scaling('max_replicas = 99999999999999999999'), 'error 4:16 max_replicas must be a whole number, got one that is too large'],
    ['an integer for a number is fine', hardware('cpu = 2\nmemory = 8')],
    ['text for a fraction', hardware('memory = "1.5"'), 'error 4:10 memory must be a number, got a string -> memory = 1.5'],
    ['a unit in the number', hardware('memory = "512 MB"'), 'error 4:10 memory must be a number, got a string -> memory = 0.5'],
    ['a unit of time', scaling('cooldown = "5 min"'), 'error 4:12 cooldown must be a whole number, got a string -> cooldown = 300'],
    ['a unit of another kind', scaling('cooldown = "5 GB"'), 'error 4:12 cooldown must be a whole number, got a string'],
    ['a word for a number', hardware('cpu = "two"'), 'error 4:7 cpu must be a number, got a string -> cpu = 2'],
    ['not a number', hardware('memory = nan'), 'error 4:10 memory must be a number, got nan, which is not a number'],
    ['an infinite number', hardware('cpu = -inf'), 'error 4:7 cpu must be a number, got an infinite number'],
    ['a number beyond all', hardware('cpu = 1e400'), 'error 4:7 cpu must be a number, got an infinite number'],
    ['a whole number for a fraction beyond reason', hardware('memory = 99999999999999999999'), 'error 4:10 memory must be a number, got one that is too large'],
    ['text for true', 'use_uv = "True"', 'error 3:10 use_uv must be true or false, got a string -> use_uv = true'],
    ['1 for true', 'use_uv = 1', 'error 3:10 use_uv must be true or false, got a number -> use_uv = true'],
    ['a list for true', 'use_uv = ["true"]', 'error 3:10 use_uv must be true or false, got a list'],
    ['a list in a string', 'include = "[./*, main.py]"', 'error 3:11 include must be a list of strings, got a string -> include = ["./*", "main.py"]'],
    ['a command instead of a list', 'shell_commands = "echo a, b"', 'error 3:18 shell_commands must be a list of strings, got a string -> shell_commands = ["echo a, b"]'],
    ['a number in a list', 'shell_commands = ["a",\n  3.10]', 'error 4:3 shell_commands must contain only strings, got a decimal number -> "3.10"'],
    ['a number for compute', hardware('compute = 4'), 'error 4:11 compute must be a string or a list of strings, got a number -> compute = "4"'],
    ['a table for a key', 'python_version = { v = "3.12" }', 'error 3:18 python_version must be a string, got a table'],
    ['a date for text', 'python_version = 2024-01-01', 'error 3:18 python_version must be a string, got a date or time -> python_version = "2024-01-01"'],
    ['a version of a package', pip('numpy = 1.20'), 'error 4:9 the version of numpy must be a string, got a decimal number -> numpy = "1.20"'],
    ['a package with extras', pip('"infinity-emb[all]" = 1'), 'error 4:23 the version of infinity-emb[all] must be a string, got a number -> "infinity-emb[all]" = "1"'],
    ['a package with a dot', pip('zope.interface = "5"'), 'error 4:1 the version of zope must be a string, got a table -> "zope.interface" = "5"'],
    ['a package as other tools write it', pip('numpy = { version = "^1.2" }'), 'error 4:9 the version of numpy must be a string, got a table'],
    ['a folder for a version', pip('a = "./pkg"'), 'error 4:5 the version of a is a path: ./pkg -> [cerebrium.deployment]\nshell_commands = ["pip install ./pkg"]'],
    ['true for a version', pip('a = true'), 'error 4:5 the version of a must be a string, got true or false without quotes -> a = "latest"'],
    ['false for a version', pip('a = false'), 'error 4:5 the version of a must be a string, got true or false without quotes -> remove a'],
    ['a list of versions', pip('a = ["1", "2"]'), 'error 4:5 the version of a must be a string, got a list'],
    ['a key for a section', '[cerebrium]\nhardware = "CPU"', 'error 4:12 hardware must be a section, got a string -> [cerebrium.hardware]'],
    ['a list of sections', '[[cerebrium.hardware]]\ncpu = 1', 'error 3:1 hardware must be a section, got a list -> [cerebrium.hardware]'],
  ]);
});

describe('required values must not be empty', () => {
  // biome-ignore format: a case is a line
  table([
    ['compute', hardware('compute = ""'), 'error 4:11 compute is empty'],
    ['a list for compute', hardware('compute = []'), 'error 4:11 compute is empty'],
    ['a blank in compute', hardware('compute = ["ADA_L4", " "]'), 'error 4:11 compute is empty'],
    ['an entrypoint', custom('[]'), 'error 4:14 entrypoint is empty'],
    ['an entrypoint of blanks', custom('"  "'), 'error 4:14 entrypoint is empty'],
    ['blank commands mean nothing', 'shell_commands = [""]\npre_build_commands = []'],
    ['empty text is as good as none', 'docker_base_image_url = ""\n[cerebrium.dependencies.paths]\npip = ""'],
    ['an empty exclude where no file starts with a dot', 'exclude = []'],
    ['an empty include means the default', 'include = []', 'warning 3:11 include is empty, so all files are sent -> include = ["*"]'],
  ]);
});

describe('contradictions are errors', () => {
  // biome-ignore format: a case is a line
  table([
    ['custom and partner are none', `${custom('["python", "main.py"]')}[cerebrium.runtime.rime]`],
    ['a partner, in whose image the server is', '[cerebrium.runtime.custom]\nport = 80\n[cerebrium.runtime.rime]'],
    ['two partners', '[cerebrium.runtime.rime]\n[cerebrium.runtime.deepgram]', 'error 3:1 [cerebrium.runtime.rime] contradicts [cerebrium.runtime.deepgram]'],
    ['a list and a file of packages', `${pip('numpy = "1"')}\n[cerebrium.dependencies.paths]\npip = "main.py"`, 'error 6:7 pip packages are listed in a file and in [cerebrium.dependencies.pip] -> move them to main.py'],
    ['a file and an empty list are none', `${pip('')}\n[cerebrium.dependencies.paths]\npip = "main.py"`],
    ['a file and a list of another kind are none', `${pip('numpy = "1"')}\n[cerebrium.dependencies.paths]\napt = "main.py"`],
    ['CPU with GPUs', hardware('compute = "CPU"\ngpu_count = 2'), 'error 5:13 gpu_count 2 contradicts compute -> gpu_count = 0'],
    ['GPUs without compute', hardware('gpu_count = 2'), 'error 4:13 gpu_count 2 contradicts compute -> compute = "AMPERE_A10"'],
    ['nothing is concluded from a compute that cannot be read', hardware('compute = 4\ngpu_count = 2'), 'error 4:11 compute must be a string or a list of strings, got a number -> compute = "4"'],
    ['one GPU on CPU is ignored by the platform', hardware('compute = "CPU"\ngpu_count = 1'), 'warning 5:13 gpu_count is ignored -> gpu_count = 0'],
    ['no GPU on CPU', hardware('compute = "CPU"\ngpu_count = 0')],
    ['CPU among accelerators', hardware('compute = ["ADA_L4", "CPU"]'), 'error 4:11 ADA_L4 and CPU cannot be mixed -> compute = "ADA_L4"'],
    ['two families', hardware('compute = ["INF2", "TRN1", "ADA_L4"]'), 'error 4:11 INF2 and ADA_L4 cannot be mixed -> compute = ["INF2", "TRN1"]'],
    ['one family', hardware('compute = ["ADA_L4", "ADA_L40", "HOPPER_H100"]')],
    ['more at least than at most', scaling('min_replicas = 3\nmax_replicas = 2'), 'error 4:16 min_replicas 3 exceeds max_replicas 2 -> max_replicas = 3'],
    ['more at least than the default', scaling('min_replicas = 3'), 'warning 4:16 min_replicas 3 exceeds max_replicas -> max_replicas = 3'],
  ]);
});

describe('values that the platform refuses are errors', () => {
  // biome-ignore format: a case is a line
  table([
    ['an image that is a file', 'docker_base_image_url = "Dockerfile"', 'error 3:25 "Dockerfile" is not the name of an image -> [cerebrium.runtime.custom]\ndockerfile_path = "Dockerfile"'],
    ['an image with capitals', 'docker_base_image_url = "ghcr.io/Me/App:1"', 'error 3:25 "ghcr.io/Me/App:1" is not the name of an image'],
    ['an image of a registry with a port', 'docker_base_image_url = "Registry.test:5000/me/my__app-2:v1.0-GPU"'],
    ['a tier', scaling('compute_tier = "protect"'), 'error 4:16 invalid compute_tier "protect" -> compute_tier = "protected"'],
    ['a container runtime', '[cerebrium.runtime]\ncontainer_runtime = "v3"', 'error 4:21 invalid container_runtime "v3" -> container_runtime = "v1"'],
  ]);
});

describe('undocumented values are warnings', () => {
  // biome-ignore format: a case is a line
  table([
    ['a version of Python', 'python_version = "3.9"', 'warning 3:18 python_version "3.9" is not a documented value -> python_version = "3.10"'],
    ['an accelerator under another name', hardware('compute = "AMPERE_A10G"'), 'warning 4:11 compute "AMPERE_A10G" is not a documented value -> compute = "AMPERE_A10"'],
    ['one of several', hardware('compute = ["ADA_L4", "L40S"]'), 'warning 4:11 compute "L40S" is not a documented value -> compute = ["ADA_L4", "ADA_L40"]'],
    ['no GPU is CPU', hardware('compute = "GPU"'), 'warning 4:11 compute "GPU" is not a documented value'],
    ['both A100', hardware('compute = "A100"'), 'warning 4:11 compute "A100" is not a documented value -> compute = "AMPERE_A100_40GB" or compute = "AMPERE_A100_80GB"'],
    ['the beginning of both A100', hardware('compute = "AMPERE_A100"'), 'warning 4:11 compute "AMPERE_A100" is not a documented value -> compute = "AMPERE_A100_40GB" or compute = "AMPERE_A100_80GB"'],
    ['an A100 with its memory', hardware('compute = "nvidia-a100-80gb"'), 'warning 4:11 compute "nvidia-a100-80gb" is not a documented value -> compute = "AMPERE_A100_80GB"'],
    ['H100', hardware('compute = "H100"'), 'warning 4:11 compute "H100" is not a documented value -> compute = "HOPPER_H100"'],
    ['L40', hardware('compute = "L40"'), 'warning 4:11 compute "L40" is not a documented value -> compute = "ADA_L40"'],
    ['T4', hardware('compute = "T4"'), 'warning 4:11 compute "T4" is not a documented value -> compute = "TURING_T4"'],
    ['a GPU that the platform does not have', hardware('compute = "V100"'), 'warning 4:11 compute "V100" is not a documented value'],
    ['a GPU of a similar name', hardware('compute = "A1000"'), 'warning 4:11 compute "A1000" is not a documented value'],
    ['a letter for a digit', hardware('compute = "AMPERE_A1O"'), 'warning 4:11 compute "AMPERE_A1O" is not a documented value -> compute = "AMPERE_A10"'],
    ['letters for digits', hardware('compute = "H1OO"'), 'warning 4:11 compute "H1OO" is not a documented value -> compute = "HOPPER_H100"'],
    ['a misspelled maker', hardware('compute = "HOPER_H100"'), 'warning 4:11 compute "HOPER_H100" is not a documented value -> compute = "HOPPER_H100"'],
    ['a GPU of one letter more', hardware('compute = "BLACKWELL_B100"'), 'warning 4:11 compute "BLACKWELL_B100" is not a documented value'],
    ['a misspelled region', hardware('region = "us-esat-1"'), 'warning 4:10 region "us-esat-1" is not a documented value -> region = "us-east-1"'],
    ['a region with a letter for a digit', hardware('region = "us-east-l"'), 'warning 4:10 region "us-east-l" is not a documented value -> region = "us-east-1"'],
    ['a region that other platforms have', hardware('region = "ap-southeast-1"'), 'warning 4:10 region "ap-southeast-1" is not a documented value'],
    ['a region beside another', hardware('region = "us-west-1"'), 'warning 4:10 region "us-west-1" is not a documented value'],
    ['a misspelled provider', hardware('provider = "nebuis"'), 'warning 4:12 provider "nebuis" is not a documented value -> provider = "nebius"'],
    ['a version of Python with a letter', 'python_version = "3.l1"', 'warning 3:18 python_version "3.l1" is not a documented value -> python_version = "3.11"'],
    ['a misspelled balancer', scaling('load_balancing_algorithm = "min-conections"'), 'warning 4:28 load_balancing_algorithm "min-conections" is not a documented value -> load_balancing_algorithm = "min-connections"'],
    ['lower case', hardware('compute = "cpu"'), 'warning 4:11 compute "cpu" is not a documented value -> compute = "CPU"'],
    ['too many accelerators to choose from', hardware('compute = ["ADA_L4", "ADA_L40", "TURING_T4", "AMPERE_A10", "HOPPER_H100", "HOPPER_H200"]'), 'warning 4:11 compute lists 6 names'],
    ['a region', hardware('region = "us-east1"'), 'warning 4:10 region "us-east1" is not a documented value -> region = "us-east-1"'],
    ['a region of another country', hardware('region = "eu-west-3"'), 'warning 4:10 region "eu-west-3" is not a documented value'],
    ['a region that only the official client names', hardware('region = "eu-west-1"')],
    ['a zone', hardware('region = "us-east-1a"'), 'warning 4:10 region "us-east-1a" is not a documented value -> region = "us-east-1"'],
    ['the beginning of two regions', hardware('region = "eu-north"'), 'warning 4:10 region "eu-north" is not a documented value -> region = "eu-north-1" or region = "eu-north1"'],
    ['a new version of Python', 'python_version = "3.14"', 'warning 3:18 python_version "3.14" is not a documented value -> python_version = "3.13"'],
    ['a patch of Python', 'python_version = "3.12.4"', 'warning 3:18 python_version "3.12.4" is not a documented value -> python_version = "3.12"'],
    ['a provider', hardware('provider = "gcp"'), 'warning 4:12 provider "gcp" is not a documented value'],
    ['a metric', scaling('scaling_metric = "cpu"'), 'warning 4:18 scaling_metric "cpu" is not a documented value -> scaling_metric = "cpu_utilization"'],
    ['a balancer', scaling('load_balancing_algorithm = "round_robin"'), 'warning 4:28 load_balancing_algorithm "round_robin" is not a documented value -> load_balancing_algorithm = "round-robin"'],
    ['above a range', scaling('cooldown = 5000'), 'warning 4:12 cooldown 5000 is outside the documented range -> cooldown = 3600'],
    ['below a range', scaling('evaluation_interval_seconds = 5'), 'warning 4:31 evaluation_interval_seconds 5 is outside the documented range -> evaluation_interval_seconds = 6'],
    ['below an open range', scaling('replica_concurrency = 0'), 'warning 4:23 replica_concurrency 0 is outside the documented range -> replica_concurrency = 1'],
    ['the ends of a range', scaling('response_grace_period = 43200\nroll_out_duration_seconds = 0')],
    ['a port', custom('["python", "main.py"]', 'port = 70000'), 'warning 5:8 port 70000 is outside the documented range -> port = 65535'],
    ['a start that takes too long', 'deployment_initialization_timeout = 831', 'warning 3:37 deployment_initialization_timeout 831 is outside the documented range -> deployment_initialization_timeout = 830'],
    ['cores that nothing has', hardware('cpu = 500'), 'warning 4:7 cpu 500 is outside the documented range -> cpu = 80'],
    ['cores that no GPU has', hardware('compute = "AMPERE_A10"\ncpu = 500'), 'warning 5:7 cpu 500 is outside the documented range -> cpu = 11'],
    ['memory that no CPU has', hardware('memory = 9999'), 'warning 4:10 memory 9999 is outside the documented range -> memory = 160'],
    ['no memory', hardware('memory = -1'), 'warning 4:10 memory -1 is outside the documented range -> memory = 0.01'],
    ['no cores with a GPU', hardware('compute = "ADA_L4"\ncpu = 0'), 'warning 5:7 cpu 0 is outside the documented range -> cpu = 1'],
    ['fewer GPUs than none', hardware('compute = "ADA_L4"\ngpu_count = -1'), 'warning 5:13 gpu_count -1 is outside the documented range -> gpu_count = 1'],
    ['cores of what is not documented', hardware('compute = "ADA_L99"\ncpu = 500'), 'warning 4:11 compute "ADA_L99" is not a documented value', 'warning 5:7 cpu 500 is outside the documented range -> cpu = 352'],
    ['a size no CPU comes in', hardware('cpu = 5'), 'warning 4:7 cpu 5 is not a documented size -> cpu = 6'],
    ['a fraction of a core on CPU', hardware('cpu = 0.25')],
    ['a fraction of a core with a GPU', hardware('compute = "ADA_L4"\ncpu = 2.5'), 'warning 5:7 cpu 2.5 is not a whole number -> cpu = 3'],
    ['memory to three decimals', hardware('memory = 1.234'), 'warning 4:10 memory 1.234 has more than 2 decimals -> memory = 1.23'],
    ['memory no CPU has', hardware('memory = 161'), 'warning 4:10 memory 161 exceeds the documented limit -> memory = 160'],
    ['cores no source gives a GPU', hardware('compute = "AMPERE_A10"\ncpu = 12'), 'warning 5:7 cpu 12 exceeds the documented limit -> cpu = 11'],
    ['all that comes with a GPU', hardware('compute = "AMPERE_A10"\ncpu = 11\nmemory = 44')],
    ['what one of a list does not have', hardware('compute = ["HOPPER_H100", "ADA_L4"]\ncpu = 24'), 'warning 5:7 cpu 24 exceeds the documented limit -> cpu = 11'],
    ['a GPU that the region does not have', hardware('compute = "HOPPER_H100"\nregion = "us-central1"'), 'warning 5:10 us-central1 has no HOPPER_H100 -> region = "us-east-1"'],
    ['the nearest of a retired GPU', hardware('compute = "AMPERE_A6000"'), 'warning 4:11 compute "AMPERE_A6000" is not a documented value -> compute = "ADA_L40"'],
    ['limits grow with the GPUs', hardware('compute = "HOPPER_H100"\ngpu_count = 2\ncpu = 48\nmemory = 512')],
    ['more GPUs than fit', hardware('compute = "ADA_L4"\ngpu_count = 9'), 'warning 5:13 gpu_count 9 exceeds the documented limit -> gpu_count = 4'],
    ['an accelerator without any', hardware('compute = "ADA_L4"\ngpu_count = 0'), 'warning 5:13 gpu_count 0 requests no GPU -> gpu_count = 1'],
    ['a metric that needs a replica', scaling('scaling_metric = "cpu_utilization"'), 'warning 4:18 cpu_utilization needs a replica that always runs -> min_replicas = 1'],
    ['a metric that has its replica', scaling('scaling_metric = "memory_utilization"\nmin_replicas = 1')],
    ['a buffer with such a metric', scaling('scaling_metric = "cpu_utilization"\nmin_replicas = 1\nscaling_buffer = 1'), 'warning 6:18 scaling_buffer is not supported with this metric -> scaling_buffer = 0'],
    ['more than all of it', scaling('scaling_target = 150'), 'warning 4:18 scaling_target 150 is outside the documented range -> scaling_target = 100'],
    ['requests per second have no upper end', scaling('scaling_metric = "requests_per_second"\nscaling_target = 150')],
  ]);
});

describe('unknown keys are warnings that suggest the right place', () => {
  // biome-ignore format: a case is a line
  table([
    ['a misspelt key', scaling('max_replica = 5'), 'warning 4:1 unknown key max_replica is ignored: did you mean max_replicas? -> max_replicas = 5'],
    ['a key in capitals', 'Python_Version = "3.12"', 'warning 3:1 unknown key Python_Version is ignored: did you mean python_version? -> python_version = "3.12"'],
    ['a key of another section', hardware('max_replicas = 5'), 'warning 4:1 max_replicas is ignored here: it belongs in [cerebrium.scaling] -> [cerebrium.scaling]\nmax_replicas = 5'],
    ['a misspelt key of another section', hardware('max_replcias = 5'), 'warning 4:1 max_replcias is ignored here: did you mean max_replicas of [cerebrium.scaling]? -> [cerebrium.scaling]\nmax_replicas = 5'],
    ['a misspelt key beside the sections', '[cerebrium]\nuse_vu = true', 'warning 4:1 use_vu is ignored here: did you mean use_uv of [cerebrium.deployment]? -> [cerebrium.deployment]\nuse_uv = true'],
    ['letters in the wrong order', '[cerebrium.runtime.custom]\nentrypiont = "x"', 'error 4:1 unknown key entrypiont is ignored: did you mean entrypoint? -> entrypoint = "x"'],
    ['a word for a key', '[cerebrium.runtime.custom]\ncmd = ["x"]', 'error 4:1 unknown key cmd is ignored: did you mean entrypoint? -> entrypoint = ["x"]'],
    ['a misspelt word for a key', '[cerebrium.runtime.custom]\ncomand = ["x"]', 'error 4:1 unknown key comand is ignored: did you mean entrypoint? -> entrypoint = ["x"]'],
    ['nothing to start, with an image that may have a server', 'docker_base_image_url = "vllm/vllm-openai"\n[cerebrium.runtime.custom]', 'warning 4:1 the custom runtime has nothing to start -> entrypoint = ["uvicorn", "main:app", "--host", "0.0.0.0", "--port", "8000"]'],
    ['a key of no section', 'colour = "red"', 'warning 3:1 unknown key colour is ignored'],
    ['a key beside the sections', '[cerebrium]\nuse_uv = true', 'warning 4:1 use_uv is ignored here: it belongs in [cerebrium.deployment] -> [cerebrium.deployment]\nuse_uv = true'],
    ['a section seen in the wild', '[cerebrium.build]\nuse_uv = true', 'warning 3:1 unknown section [cerebrium.build] is ignored -> move its keys to [cerebrium.deployment]'],
    ['a key without its last word', scaling('evaluation_interval = 30'), 'warning 4:1 unknown key evaluation_interval is ignored: did you mean evaluation_interval_seconds? -> evaluation_interval_seconds = 30'],
    ['a key with more words', scaling('cooldown_period_seconds = 30'), 'warning 4:1 unknown key cooldown_period_seconds is ignored: did you mean cooldown? -> cooldown = 30'],
    ['a name of the API', scaling('maxReplicaCount = 3'), 'warning 4:1 unknown key maxReplicaCount is ignored: did you mean max_replicas? -> max_replicas = 3'],
    ['a word that could be several keys', scaling('replicas = 3'), 'warning 4:1 unknown key replicas is ignored'],
    ['a misspelt key of the wrong type', scaling('max_replica = "5"'), 'warning 4:1 unknown key max_replica is ignored: did you mean max_replicas? -> max_replicas = 5'],
    ['a misspelt key beside the right one', scaling('max_replicas = 5\nmax_replica = 4'), 'warning 5:1 unknown key max_replica is ignored: did you mean max_replicas? -> remove it: max_replicas is set, too'],
    ['a key that another section sets, too', `${hardware('cooldown = 5')}\n${scaling('cooldown = 6')}`, 'warning 4:1 cooldown is ignored here: it belongs in [cerebrium.scaling] -> remove it: [cerebrium.scaling] sets cooldown, too'],
    ['a misspelt section beside the right one', '[cerebrium.hardware]\n[cerebrium.hardwear]', 'warning 4:1 unknown section [cerebrium.hardwear] is ignored: did you mean [cerebrium.hardware]? -> move its keys to [cerebrium.hardware]'],
    ['the opposite of a key', 'enable_auth = true', 'warning 3:1 enable_auth is ignored -> disable_auth = false'],
    ['another', '[cerebrium.pip.dependancies]\nnumpy = "1"', 'warning 3:1 unknown section [cerebrium.pip.dependancies] is ignored: did you mean [cerebrium.dependencies.pip]? -> [cerebrium.dependencies.pip]'],
    ['and another', '[cerebrium.apt.dependancies]', 'warning 3:1 unknown section [cerebrium.apt.dependancies] is ignored: did you mean [cerebrium.dependencies.apt]? -> [cerebrium.dependencies.apt]'],
    ['a section without its parent', '[cerebrium.pip]', 'warning 3:1 unknown section [cerebrium.pip] is ignored: did you mean [cerebrium.dependencies.pip]? -> [cerebrium.dependencies.pip]'],
    ['a misspelt section', '[cerebrium.hardwear]', 'warning 3:1 unknown section [cerebrium.hardwear] is ignored: did you mean [cerebrium.hardware]? -> [cerebrium.hardware]'],
    ['a runtime there is not', '[cerebrium.runtime.vllm]', 'warning 3:1 unknown section [cerebrium.runtime.vllm] is ignored'],
    ['the runtime that has no section', '[cerebrium.runtime.cortex]', 'warning 3:1 [cerebrium.runtime.cortex] is ignored'],
    ['a section outside', '[hardware]\ncpu = 1', 'warning 3:1 [hardware] is ignored: did you mean [cerebrium.hardware]? -> [cerebrium.hardware]'],
    ['anything else outside', '[tool.ruff]', 'warning 3:1 tool is ignored'],
    ['the old name of compute', hardware('gpu = "AMPERE_A10"'), 'warning 4:1 gpu is ignored -> compute = "AMPERE_A10"'],
    ['the old name of compute and of a GPU', hardware('gpu = "A10"'), 'warning 4:1 gpu is ignored -> compute = "AMPERE_A10"'],
    ['the old name beside the new one', hardware('compute = "ADA_L4"\ngpu = "A10"'), 'warning 5:1 gpu is ignored -> remove it: compute is set, too'],
    ['names that JavaScript knows', '[cerebrium.constructor]\nx = 1\n[cerebrium.__proto__]\ntoString = 1', 'warning 3:1 unknown section [cerebrium.constructor] is ignored', 'warning 5:1 unknown section [cerebrium.__proto__] is ignored'],
  ]);
});

test.each([
  ['[cerebrium.runtime.cortex]', 'cortex is the default without a runtime section'],
  ['[cerebrium.hardware]\ngpu = "T4"', 'gpu is no longer supported: without compute the app runs on CPU'],
  ['enable_auth = true', 'disable_auth is its opposite'],
  ['require_auth = true', 'disable_auth is its opposite'],
  ['[cerebrium]\nproject = "p-1"', 'apps are deployed to the project of --project, GANTRY_PROJECT or the profile'],
  ['[cerebrium.cooldown]\nx = 1', 'cooldown is a key of [cerebrium.scaling], not a section'],
  ['[cerebrium.cooldown.more]\nx = 1', expect.stringMatching(/^known: /)],
])('what was valid once, or looks valid, is ignored for a reason: %s', async (line, why) => {
  const { problems } = await check(`[cerebrium.deployment]\nname = "app"\n${line}`);
  expect(problems).toContainEqual(expect.objectContaining({ message: expect.stringMatching(/ is ignored$/), why }));
});

describe('settings without effect are warnings', () => {
  const dockerfile = '[cerebrium.runtime.custom]\ndockerfile_path = "Dockerfile"';
  // biome-ignore format: a case is a line
  table(
    [
      ['with a Dockerfile', `shell_commands = ["ls"]\ndocker_base_image_url = "x"\n${dockerfile}\n${pip('numpy = "1"')}`, 'warning 3:1 shell_commands is ignored', 'warning 4:1 docker_base_image_url is ignored', 'warning 7:1 [cerebrium.dependencies.pip] is ignored'],
      ['nothing to say of nothing', `shell_commands = [""]\npre_build_commands = []\n${dockerfile}\n${pip('')}`],
      ['with a partner', `include = ["*"]\nexclude = [".*"]\n[cerebrium.runtime.deepgram]\n${pip('numpy = "1"')}`, 'warning 3:1 include is ignored', 'warning 4:1 exclude is ignored', 'warning 6:1 [cerebrium.dependencies.pip] is ignored'],
    ],
    { Dockerfile: '' },
  );
});

test.each([
  ['is a warning if the file does not decide', '', 1],
  ['is no warning if it is wanted', 'disable_auth = true', 0],
  ['is no warning if it is not public', 'disable_auth = false', 0],
  ['is no second problem if the value cannot be read', 'disable_auth = "no"', 0],
])('a public app %s', async (_, setting, count) => {
  const { problems } = await check(`[cerebrium.deployment]\nname = "app"\n${setting}`);
  expect(problems.map(line).filter((each) => each.includes('this app is public'))).toHaveLength(count);
});

describe('file names are relative to the config file', () => {
  const paths = (lines: string) => `[cerebrium.dependencies.paths]\n${lines}`;
  const dockerfile = (path: string) => `[cerebrium.runtime.custom]\ndockerfile_path = "${path}"`;
  // biome-ignore format: a case is a line
  table(
    [
      ['a Dockerfile that is there', dockerfile('./docker/Dockerfile')],
      ['a Dockerfile that is not', dockerfile('Dockerfile'), 'error 4:19 Dockerfile not found'],
      ['a Dockerfile of nearly that name', dockerfile('docker/Dokerfile'), 'error 4:19 docker/Dokerfile not found -> dockerfile_path = "docker/Dockerfile"'],
      ['a folder', dockerfile('docker'), 'error 4:19 docker is a folder'],
      ['outside the app', dockerfile('../Dockerfile'), "error 4:19 ../Dockerfile is outside of the app folder"],
      ['an absolute path', dockerfile('/etc/hosts'), "error 4:19 /etc/hosts is outside of the app folder"],
      ['a name that begins with dots', dockerfile('..hidden')],
      ['a file of packages', `${paths('pip = "packages.txt"')}\n${custom('["python", "src/app.py"]')}`],
      ['a file of packages that is nowhere', `${paths('pip = "../none.txt"')}\n${custom('["python", "src/app.py"]')}`, 'error 4:7 ../none.txt not found'],
      ['a file of packages that is not there', `${paths('conda = "conda.txt"')}\n${custom('["python", "src/app.py"]')}`, 'error 4:9 conda.txt not found'],
      ['main.py for the default runtime', '', 'error main.py not found -> add main.py, or set the entrypoint in [cerebrium.runtime.custom]'],
      ['no main.py for a partner', '[cerebrium.runtime.rime]'],
      ['nothing to start', '[cerebrium.runtime.custom]\nport = 8080', 'error 3:1 the custom runtime has nothing to start -> entrypoint = ["uvicorn", "main:app", "--host", "0.0.0.0", "--port", "8080"]'],
    ],
    { 'src/app.py': '', 'src/__init__.py': '', 'docker/Dockerfile': '', '..hidden': '', 'packages.txt': '' },
  );
});

test.each([
  ['is the default', '', 'the platform rejects it with min_replicas 0, which is the default'],
  ['was set', 'min_replicas = 0', 'the platform rejects it with min_replicas 0'],
])('a metric that needs a replica says whether 0 %s', async (_, line, why) => {
  const settings = scaling(`scaling_metric = "cpu_utilization"\n${line}`);
  const { problems } = await check(`[cerebrium.deployment]\nname = "app"\n${settings}`);
  expect(problems[0]).toMatchObject({ why });
});

describe('a requirements file is read as pip reads it', () => {
  const latin1 = Buffer.from('flask>=3\n# caf\xe9\ntorch==1.13.1\n', 'latin1');
  const named = '[cerebrium.dependencies.paths]\npip = "requirements.txt"';
  const warning = 'warning 4:7 requirements.txt:2 is not valid UTF-8 -> save requirements.txt as UTF-8';
  const blackwell = '[cerebrium.hardware]\ncompute = "BLACKWELL_RTX6000"\n';
  const tooOld = /^warning \d+:7 torch 1\.13\.1 has no code for BLACKWELL/;

  test.each<[string, string, Uint8Array, ...(string | RegExp)[]]>([
    ['a byte of Latin-1', named, latin1, warning],
    ['a byte of Latin-1 in a file that no setting names', '', latin1, warning.replace(' 4:7', '')],
    ['a byte of Latin-1 in a file that the section replaces', pip('flask = "latest"'), latin1, /is generated from/],
    ['a coding line', named, Buffer.concat([Buffer.from('# -*- coding: latin-1 -*-\n'), latin1])],
    ['a coding line too late', named, Buffer.concat([latin1, Buffer.from('# coding: latin-1\n')]), warning],
    ['UTF-8 with a byte-order mark', named, Buffer.from('\ufeffflask # é\n')],
    ['UTF-16 with a byte-order mark', blackwell + named, Buffer.from('\ufefftorch==1.13.1\n', 'utf16le'), tooOld],
  ])('%s', async (_, toml, requirements, ...expected) => {
    const root = newFolder({
      'cerebrium.toml': `[cerebrium.deployment]\nname = "app"\n${toml}`,
      'main.py': '',
      'requirements.txt': requirements,
    });
    const { problems } = await checkAppConfig(join(root, 'cerebrium.toml'), { shownAs: 'cerebrium.toml' });
    expect(lines(problems)).toEqual(expected.map((text) => expect.stringMatching(text)));
  });
});
