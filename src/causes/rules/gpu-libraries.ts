import type { FailureRule } from '../rule.ts';

/** Libraries around GPUs: cuDNN, NCCL, ONNX Runtime, and what is run on which device. */
export const gpuLibraryRules: readonly FailureRule[] = [
  {
    cause: 'binary-incompatible',
    rank: 5,
    signs: {
      'but source was compiled with':
        /Loaded runtime CuDNN library: (?<found>[\d.]{1,12}) but source was compiled with: (?<wanted>[\d.]{1,12})/i,
      'Found cuDNN version':
        /Found cuDNN version (?<found>\d{1,8}), but JAX was built against version (?<wanted>\d{1,8})/,
      'Outdated cuDNN installation found': /Outdated cuDNN installation found/,
      'cuDNN version incompatibility':
        /cuDNN version incompatibility: PyTorch was compiled\s+against \(?(?<wanted>[\d., ]{1,16})/,
    },
    title: 'the cuDNN that is loaded is older than a package was built with: {found}',
    fix: 'let the package bring its own (jax[cuda12], or torch of pip) in an image without cuDNN and without LD_LIBRARY_PATH, or use a newer base image',
    at: 'deployment.docker_base_image_url',
  },
  {
    cause: 'shared-library-missing',
    rank: 5,
    signs: {
      'Unable to load cuDNN': /Unable to load cuDNN\. Is it installed/,
      'DNN library is not found': /DNN library is not found/,
      'Unable to load any of {libcudnn': /Unable to load any of \{libcudnn/,
      'Cannot load symbol cudnn': /Cannot load symbol cudnn\w{1,60}/,
    },
    title: 'the image lacks cuDNN, or has another one than the packages need',
    fix: 'use a base image such as nvidia/cuda with cudnn and runtime in its tag, or add nvidia-cudnn-cu12 to [cerebrium.dependencies.pip]',
    at: 'deployment.docker_base_image_url',
  },
  {
    cause: 'shared-library-missing',
    rank: 4,
    signs: { 'Failed to create CUDAExecutionProvider': /Failed to create CUDAExecutionProvider/ },
    title: 'onnxruntime does not find the CUDA and cuDNN that it was built for, and uses the CPU',
    fix: 'use a base image with that CUDA and cuDNN, or a version of onnxruntime-gpu for the CUDA of the image',
    at: 'deployment.docker_base_image_url',
  },
  {
    cause: 'shared-library-missing',
    rank: 5,
    signs: {
      'compiled without GPU support': /The installed version of bitsandbytes was compiled without GPU support/,
    },
    title: 'bitsandbytes does not find the libraries of CUDA',
    fix: 'use a newer bitsandbytes, which finds those of torch, on a GPU',
    at: 'dependencies.pip.bitsandbytes',
  },
  {
    cause: 'shared-memory-full',
    rank: 5,
    signs: {
      'shared memory segment': /NCCL WARN .{0,100}shared memory segment/,
      'failed to extend /dev/shm': /failed to extend \/dev\/shm\/nccl/,
    },
    title: 'NCCL, which connects the GPUs of the replica, has too little shared memory',
    fix: 'set NCCL_SHM_DISABLE=1 in the environment, or use one larger GPU',
    at: 'hardware.gpu_count',
  },
  {
    cause: 'gpu-connection-failed',
    rank: 3,
    signs: {
      'NCCL error': /NCCL error\b/,
      ncclSystemError: /^ncclSystemError: /,
      ncclUnhandledCudaError: /^ncclUnhandledCudaError: /,
      'NCCL WARN Cuda failure': /NCCL WARN Cuda failure/,
    },
    title: 'NCCL, which connects the GPUs of the replica, failed',
    fix: 'set NCCL_DEBUG=INFO in the environment to see why: often too little shared memory (NCCL_SHM_DISABLE=1), or a driver that is too old',
    at: 'hardware.gpu_count',
  },
  {
    cause: 'gpu-count-too-low',
    rank: 5,
    signs: {
      'invalid device ordinal': /CUDA error: invalid device ordinal/,
      'number of required GPUs': /number of required GPUs exceeds the total number of (?:available )?GPUs/,
      'than the number of available GPUs':
        /(?:[Tt]ensor[ _]parallel[ _]size|World size) .{0,80}(?:larger|greater) than the number of available GPUs/,
    },
    title: 'the app uses more GPUs than the replica has',
    fix: 'use as many as gpu_count says (--tensor-parallel-size, device_map="auto"), or raise gpu_count',
    at: 'hardware.gpu_count',
  },
  {
    cause: 'gpu-driver-missing',
    // TensorFlow goes on with the CPU.
    rank: 1,
    signs: { 'failed call to cuInit': /failed call to cuInit: / },
    title: 'the app looks for a GPU, and the replica has none',
    fix: 'set compute to a GPU, such as compute = "AMPERE_A10"',
    at: 'hardware.compute',
  },
  {
    cause: 'gpu-driver-missing',
    rank: 4,
    signs: {
      'Failed to infer device type': /RuntimeError: Failed to infer device type/,
    },
    title: 'the app needs a GPU, and the replica has none',
    fix: 'set compute to a GPU, such as compute = "AMPERE_A10"',
    at: 'hardware.compute',
  },
  {
    cause: 'compiler-missing',
    rank: 5,
    signs: {
      'Failed to find C compiler': /Failed to find C compiler/,
      InvalidCxxCompiler: /InvalidCxxCompiler/,
      'No working C++ compiler': /No working C\+\+ compiler found in/,
    },
    title: 'Triton compiles while the app runs, and the image has no compiler for it',
    fix: 'add build-essential to [cerebrium.dependencies.apt] (it has gcc), or start without torch.compile',
    at: 'dependencies.apt',
  },
  {
    cause: 'device-mismatch',
    rank: 3,
    signs: {
      'Expected all tensors to be on the same device': /Expected all tensors to be on the same device/,
      'should be the same':
        /RuntimeError: Input type \(.{1,60}\) and (?:weight|bias) type \(.{1,60}\) should be the same/,
      'not implemented for': /RuntimeError: "\w{1,80}" not implemented for '(?:Half|BFloat16)'/,
      'same dtype': /RuntimeError: (?:expected .{0,60}|mat1 and mat2 must )have the same dtype/,
    },
    title: 'a tensor is on another device, or of another data type, than the model',
    fix: 'move inputs to the model (x.to(model.device, model.dtype)), and use float32 on a CPU',
  },
];
