import { debianPackageOfProgram } from '../program-packages.ts';
import { type FailureRule, rows, rowsWith } from '../rule.ts';

/** Models: the hub, their files, and the servers that load them. Programs and data that Python packages use, and do not bring along. */
export const modelRules: readonly FailureRule[] = [
  ...rows`
5 module-missing | Converting from Tiktoken failed; _LazyModule.__getattr__.<locals>.Placeholder'> of <class | the tokenizer of the model needs sentencepiece, which is not installed | add sentencepiece, and with it protobuf and tiktoken, to [cerebrium.dependencies.pip] | dependencies.pip.sentencepiece
6 file-invalid | WeightsUnpickler error: Unsupported operand {operand=10|13|32|60|123} | the file of the weights is a text or a page, and no checkpoint | look at its first line (head -c 200), and download it again from an address that gives the file itself
5 browser-missing | distribution '{name}' is not found at | the browser {name} is not in the image: Playwright brings a chromium of its own only | run playwright install {name} in the build, or start chromium without a channel | deployment.shell_commands
5 browser-missing | /spawn \S{0,160}(?:ms-playwright|\.local-browsers|\.local-(?:chromium|firefox|webkit)|\/puppeteer)\/\S{1,160} ENOENT/ | the browser that was downloaded does not start: it is made for glibc, which Alpine does not have | use the image mcr.microsoft.com/playwright, or one of Debian; on Alpine, apk add chromium, and give its path | deployment.docker_base_image_url
`,
  ...rows`
model-settings-invalid | User-specified max_model_len (…) is greater than the derived max_model_len; Total number of attention heads (…) must be divisible by tensor parallel size (…); max_num_batched_tokens (…) is smaller than max_model_len (…); Cannot find the config file for {name}; Unknown quantization method: {name}; unknown quantization method: {name}; Quantization method specified in the model config (…) does not match; torch.{name} is not supported for quantization method {method}; Poll failed for model directory '{folder}': {problem…} | the model does not start with these settings: {said} | change the flag that the message names to what the config.json of the model allows | runtime.custom.entrypoint
package-api-changed | Unsupported model IR version: {found}, max supported IR version: {wanted}; official released onnx opset; required to explicitly set the providers parameter; cannot enable executable stack as shared object requires | the installed onnxruntime does not fit the model, the code or the image: {said} | use a newer onnxruntime, or export the model for an older opset; name the providers, as in InferenceSession(path, providers=["CPUExecutionProvider"]) | dependencies.pip.onnxruntime
file-not-found | No model found. You have | there is no trained model where the server looks for one | train it in the build, or mount its folder, and name it (--model)
5 browser-missing | 'chromedriver' executable needs to be in PATH; 'geckodriver' executable needs to be in PATH; Unable to obtain driver for {name}; Could not find Chrome; Could not find expected browser; cannot find Chrome binary; DevToolsActivePort file doesn't exist; only supports Chrome version; hrome failed to start: exited | there is no browser that starts, or its driver is of another version | add chromium and chromium-driver to [cerebrium.dependencies.apt], and start it headless (--headless=new) | dependencies.apt
package-api-changed | Unrecognized keyword arguments…groups; Keras 3 only supports V3; ValueError: File format not supported: filepath=; ^ValueError: Unknown layer: 'Functional; ^ValueError: Unknown layer: Functional; ^ValueError: Unknown layer: {layer}V2 | the model was saved by another version of Keras than the installed one | pin tensorflow to the version that saved it (tensorflow = "<2.16" has Keras 2), or save it again | dependencies.pip.tensorflow
package-api-changed | Unrecognized keyword arguments…batch_shape; Unrecognized keyword arguments…optional | the model was saved by a newer Keras than the installed one | use a newer one (Keras 3 comes with TensorFlow 2.16 and later), or save it again with the installed one | dependencies.pip.tensorflow
package-api-changed | Model architectures [{model…}] are not supported for now; Model architectures [{model…}] failed to be inspected; {model} has no vLLM implementation | the installed vllm does not know {model} | use a newer version of vllm, or a model that it supports | dependencies.pip.vllm
package-api-changed | ^Weights only load failed; Error: Weights only load failed | torch 2.6 and later load only weights, and the file has other objects of Python too | use safetensors, or allow the classes that the message names with torch.serialization.add_safe_globals; for a file that you trust, torch.load(path, weights_only=False) | dependencies.pip.torch
3 weights-mismatch | Error(s) in loading state_dict for {model}: | the weights do not fit the model that the code builds: {model} | use the weights and the code of the same version, or correct the sizes in its config
6 browser-missing | No usable sandbox; Running as root without --no-sandbox is not supported; Failed to move to new namespace | the sandbox of the browser does not start in this container | start it with --no-sandbox (chromium_sandbox=False) for pages that you trust, or as a user that may make namespaces
model-code-not-trusted | contains custom code which must be executed to correctly load; requires you to execute the …file in that repo; Please pass the argument \`trust_remote_code=True; Please set the option \`trust_remote_code=True; Please use \`trust_remote_code=True | the model brings code of its own, which is not run without permission | use a version of the library that knows the model; else read that code, pin its revision, and only then allow it with trust_remote_code
`,
  ...rowsWith({ next: ['secrets', 'set', 'HF_TOKEN'] })`
6 service-quota-exceeded | 429…https://{huggingface|hf}.co; https://{huggingface|hf}.co…429 | the hub limits how often models are read | set a token as the secret HF_TOKEN, and keep the model on a volume, so that replicas do not download it: gantry cp hf://ORG/NAME :/models/NAME
`,
  ...rowsWith({ next: ['secrets', 'set', 'HF_TOKEN'] })`
model-access-denied | LocalTokenNotFoundError:; Token is required …but no token found; Invalid user token; Invalid credentials in Authorization header; ^OSError: Can't load tokenizer for '{model}'; ^OSError: Can't load the …{for|of} '{model}'; 40{1|3|4} Client Error…https://huggingface.co;
  Repository Not Found for url: https://huggingface.co; OSError: Model name '{model}' was not found in … model name list; GatedRepoError:; You are trying to access a gated repo; Cannot access gated repo; RepositoryNotFoundError:; might be because the pipeline is private or gated;
  public gated repositories in your fine-grained token settings
  | the model does not exist, is not complete, or needs a token that may read it: {model} | check its name; of a model of the hub, accept its terms, and set a token as the secret HF_TOKEN
`,
  ...rows`
file-not-found | /OSError: (?<model>\S{1,160}) does not appear to have (?:a file|files) named (?<path>[\w.()', -]{1,120}?)(?:\. |\.?$| Checkout)/; /Error no file named (?<path>[\w., ]{1,160}?),? (?:or [\w.]{1,60} )?found in directory (?<model>\S{1,200}?)\.?$/; /(?<!Local)EntryNotFoundError: /
  | the model {model} has no file {path|of that name} | send or pull all files of the model, and name its folder or its revision; another kind of model needs another class or flag
`,
  ...rowsWith({ after: /sentencepiece/ })`
file-not-found | ^TypeError: not a string$ | the model has no file for its slow tokenizer (tokenizer.model) | load the fast tokenizer (leave out use_fast=False), or send all files of the model
`,
  ...rows`
file-invalid | SafetensorError: …{problem=MetadataIncompleteBuffer}; deserializing header: {problem=MetadataIncompleteBuffer}; /(?:SafetensorError: .{0,80}|deserializing header: )(?<problem>InvalidHeader\w{0,20}|HeaderTooSmall)/;
  PytorchStreamReader failed …{problem=failed finding central directory}; UnpicklingError: {problem=invalid load key, '<'}; ^EOFError: {problem=Ran out of input}; BadZipFile: {problem…}; Unable to {|synchronously }open file ({problem=file signature not found};
  SafetensorError: …{problem=HeaderTooLarge}; deserializing header: {problem=HeaderTooLarge}; ^EOFError: {problem=Compressed file ended}; ReadError: {problem=unexpected end of data}; {problem=Consistency check failed: file should be of size}; {problem=Protobuf parsing failed}
  | a file, such as the weights of a model, is damaged or not complete: {problem} | delete it and download it again; if its first line says git-lfs or html, its address gives a pointer of Git LFS (git lfs pull) or a page
`,
  ...rowsWith({ after: /configuration_auto\.py", line/ })`
3 package-api-changed | ^KeyError: '{model}'$ | the installed transformers does not know {model} | use a newer version of transformers, and of the server that loads the model with it (vllm) | dependencies.pip.transformers
`,
  ...rows`
package-api-changed | /^ValueError: Unrecognized model in (?<model>\S{1,120}?)\.? /; ^ValueError: Unrecognized configuration class {model…} {for|to build}; model type \`{model}\` but Transformers does not recognize this architecture;
  ^ValueError: {Tokenizer|Image processor} class {model} does not exist
  | the installed transformers does not know {model} | use a newer version of transformers, and of the server that loads the model with it (vllm); or the class that the page of the model names; a folder needs its config.json | dependencies.pip.transformers
`,
  ...rowsWith({ applies: ({ command = '' }) => debianPackageOfProgram(command) !== undefined })`
command-not-found | : [Errno 2] No such file or directory: {|PosixPath(}'{command}'; {command=FFmpeg|Ffmpeg|fFmpeg|ffmpeg|ffprobe|soffice|sox|dot} {|was |is |executable |binary }not found; {command=FFmpeg} is not properly installed;
  Error: {command} is not installed or it's not in your PATH; Is {command=poppler} installed and in PATH; /ExecutableNotFound: failed to execute (?:PosixPath\()?['"[]{0,2}(?<command>\w{1,40})/; /No (?<command>wkhtmltopdf|ffmpeg) (?:executable|exe could be) found/; Bad {command=git} executable;
  {command=Java} gateway process exited before sending its port number
  | {command} is not installed in the image | add the package that has {command} to [cerebrium.dependencies.apt] | dependencies.apt
`,
  ...rows`
5 browser-missing | Executable doesn't exist at {path}; Looks like Playwright {|Test or Playwright }was just installed or updated; Host system is missing dependencies | the browser of Playwright, or a library that it needs, is not in the image | run playwright install --with-deps chromium in the build (shell_commands), as the user that runs the app | deployment.shell_commands
data-missing † | >>> nltk.download('{name}') | the data {name} of NLTK is not in the image | download it in the build (shell_commands): python -m nltk.downloader -d /usr/local/share/nltk_data {name} | deployment.shell_commands
data-missing | [E{050|941}] Can't find model '{name}{| }'; /ModuleNotFoundError: No module named '(?<name>[a-z]{2}_(?:core|dep|ent)_(?:web|news|sci|wiki)_(?:sm|md|lg|trf))'/ | the model {name} of spaCy is not in the image | download it in the build (shell_commands): python -m spacy download {name}, by its full name, such as en_core_web_sm, without blanks around it | deployment.shell_commands
fix-in-message | Value error, {problem…} | a value does not pass a check: {problem} | change what the message names: a setting, a variable or a flag of the command
`,
];
