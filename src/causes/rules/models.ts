import type { FailureRule } from '../rule.ts';

/** Models: the hub, their files, and the servers that load them. */
export const modelRules: readonly FailureRule[] = [
  {
    cause: 'service-quota-exceeded',
    rank: 5,
    signs: {
      '429': /\b429\b.{0,200}https:\/\/(?:huggingface|hf)\.co|https:\/\/(?:huggingface|hf)\.co.{0,200}\b429\b/,
    },
    title: 'the hub limits how often models are read',
    fix: 'set a token as the secret HF_TOKEN, and keep the model on a volume, so that replicas do not download it: gantry cp hf://ORG/NAME :/models/NAME',
    next: ['secrets', 'set', 'HF_TOKEN'],
  },
  {
    cause: 'model-access-denied',
    rank: 4,
    signs: {
      LocalTokenNotFoundError: /LocalTokenNotFoundError: /,
      'Token is required': /Token is required .{0,60}but no token found/,
      'Invalid user token': /Invalid user token\b/,
      'Invalid credentials in Authorization header': /Invalid credentials in Authorization header/,
      "Can't load tokenizer for": /^OSError: Can't load tokenizer for '(?<model>[^']{1,120})'/,
      "Can't load the": /^OSError: Can't load the (?:\w{1,20} ){1,3}(?:for|of) '(?<model>[^']{1,120})'/,
    },
    title: 'the model does not exist, is not complete, or needs a token that may read it: {model}',
    fix: 'check its name; of a model of the hub, accept its terms, and set a token as the secret HF_TOKEN',
    next: ['secrets', 'set', 'HF_TOKEN'],
  },
  {
    cause: 'file-not-found',
    rank: 4,
    signs: {
      'does not appear to have':
        /OSError: (?<model>\S{1,160}) does not appear to have (?:a file|files) named (?<path>[\w.()', -]{1,120}?)(?:\. |\.?$| Checkout)/,
      'found in directory':
        /Error no file named (?<path>[\w., ]{1,160}?),? (?:or [\w.]{1,60} )?found in directory (?<model>\S{1,200}?)\.?$/,
      EntryNotFoundError: /(?<!Local)EntryNotFoundError: /,
    },
    title: 'the model {model} has no file {path|of that name}',
    fix: 'send or pull all files of the model, and name its folder or its revision; another kind of model needs another class or flag',
  },
  {
    cause: 'file-invalid',
    rank: 4,
    signs: {
      MetadataIncompleteBuffer: /SafetensorError: .{0,80}(?<problem>MetadataIncompleteBuffer)/,
      InvalidHeader: /SafetensorError: .{0,80}(?<problem>InvalidHeader\w{0,20}|HeaderTooSmall)/,
      'failed finding central directory':
        /PytorchStreamReader failed .{0,60}(?<problem>failed finding central directory)/,
      "invalid load key, '<'": /UnpicklingError: (?<problem>invalid load key, '<')/,
      'Ran out of input': /^EOFError: (?<problem>Ran out of input)/,
      BadZipFile: /BadZipFile: (?<problem>.{1,60})/,
      'Consistency check failed': /(?<problem>Consistency check failed: file should be of size)/,
      'file signature not found': /Unable to (?:synchronously )?open file \((?<problem>file signature not found)/,
    },
    title: 'a file, such as the weights of a model, is not complete: {problem}',
    fix: 'delete it and download it again; check that its address gives the file and not a page',
  },
  {
    cause: 'package-api-changed',
    rank: 4,
    signs: { 'Weights only load failed': /UnpicklingError: Weights only load failed/ },
    title: 'torch 2.6 and later load only weights, and the file has other objects of Python too',
    fix: 'use safetensors, or allow the classes that the message names with torch.serialization.add_safe_globals; update the package that loads the file',
    at: 'dependencies.pip.torch',
  },
  {
    cause: 'package-api-changed',
    rank: 4,
    signs: {
      'Model architectures [':
        /Model architectures \[(?<model>[^\]]{1,120})\] (?:are not supported for now|failed to be inspected)/,
      'has no vLLM implementation': /(?<model>\w{1,80}) has no vLLM implementation/,
    },
    title: 'the installed vllm does not know {model}',
    fix: 'use a newer version of vllm, or a model that it supports',
    at: 'dependencies.pip.vllm',
  },
  {
    cause: 'package-api-changed',
    rank: 3,
    signs: { 'KeyError: ': /^KeyError: '(?<model>[a-z][\w-]{1,60})'$/ },
    after: /configuration_auto\.py", line/,
    title: 'the installed transformers does not know {model}',
    fix: 'use a newer version of transformers',
    at: 'dependencies.pip.transformers',
  },
  {
    cause: 'package-api-changed',
    rank: 4,
    signs: {
      'Unrecognized model in':
        /^ValueError: (?:Unrecognized model in|Unrecognized configuration class) (?<model>\S{1,120}?)\.? /,
      'Unrecognized configuration class':
        /^ValueError: Unrecognized configuration class (?<model>.{1,120}?) (?:for|to build)/,
    },
    title: 'the installed transformers does not know the model {model}',
    fix: 'use a newer version of transformers, or the class that the page of the model names; a folder needs its config.json',
    at: 'dependencies.pip.transformers',
  },
  {
    cause: 'model-code-not-trusted',
    rank: 4,
    signs: {
      'contains custom code which must be executed': /contains custom code which must be executed to correctly load/,
      'you to execute the': /requires you to execute the \w{1,30} file in that repo/,
    },
    title: 'the model brings code of its own, which is not run without permission',
    fix: 'use a version of the library that knows the model; else read that code, pin its revision, and only then allow it with trust_remote_code',
  },
  {
    cause: 'model-settings-invalid',
    rank: 4,
    signs: {
      'greater than the derived max_model_len':
        /(?<problem>User-specified max_model_len \(\d{1,9}\) is greater than the derived max_model_len)/,
      'must be divisible by':
        /(?<problem>Total number of attention heads \(\d{1,6}\) must be divisible by tensor parallel size \(\d{1,4}\))/,
      'is smaller than max_model_len':
        /(?<problem>max_num_batched_tokens \(\d{1,9}\) is smaller than max_model_len \(\d{1,9}\))/,
      'Cannot find the config file for': /(?<problem>Cannot find the config file for \w{1,20})/,
      'nknown quantization method': /(?<problem>[Uu]nknown quantization method: \S{1,40})/,
      'specified in the model config':
        /(?<problem>Quantization method specified in the model config \(\S{1,30}\) does not match)/,
      'is not supported for quantization method':
        /(?<problem>torch\.\w{1,20} is not supported for quantization method \w{1,30})/,
    },
    title: 'the model does not start with these settings: {problem}',
    fix: 'change the flag that the message names to what the config.json of the model allows',
    at: 'runtime.custom.entrypoint',
  },
  {
    cause: 'weights-mismatch',
    rank: 3,
    signs: { 'in loading state_dict for': /Error\(s\) in loading state_dict for (?<model>\w{1,80})/ },
    title: 'the weights do not fit the model that the code builds: {model}',
    fix: 'use the weights and the code of the same version, or correct the sizes in its config',
  },
];
