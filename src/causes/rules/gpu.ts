import type { FailureRule } from '../rule.ts';

/** GPUs: memory, drivers, and what was compiled for them. */
export const gpuRules: readonly FailureRule[] = [
  {
    cause: 'gpu-out-of-memory',
    rank: 5,
    signs: {
      'CUDA out of memory':
        /CUDA out of memory\. Tried to allocate (?<amount>[\d.]{1,10} \w{2,4})|(?:Caught|Error:) CUDA out of memory/,
      'error: out of memory': /CUDA (?:runtime )?error: out of memory/,
      'Dst tensor is not initialized': /Dst tensor is not initialized/,
      'OOM when allocating tensor': /OOM when allocating tensor with shape/,
      CUBLAS_STATUS_ALLOC_FAILED: /CUBLAS_STATUS_ALLOC_FAILED/,
      cudaErrorMemoryAllocation: /cudaErrorMemoryAllocation/,
    },
    title: 'the GPU has too little memory',
    fix: 'choose a GPU with more memory, load the model in half precision or quantized, or use smaller batches',
    at: 'hardware.compute',
  },
  {
    cause: 'gpu-out-of-memory',
    // TensorFlow asks for less after it: it may be harmless.
    rank: 3,
    signs: { CUDA_ERROR_OUT_OF_MEMORY: /CUDA_ERROR_OUT_OF_MEMORY/ },
    title: 'the GPU has too little memory',
    fix: 'choose a GPU with more memory, use smaller batches, or use the GPU from one process only',
    at: 'hardware.compute',
  },
  {
    cause: 'gpu-out-of-memory',
    rank: 5,
    signs: {
      'No available memory for the cache blocks': /No available memory for the cache blocks/,
      'larger than the maximum number of tokens':
        /larger than the maximum number of tokens that can be stored in KV cache/,
      'larger than the available KV cache memory': /larger than the available KV cache memory/,
    },
    title: 'the GPU has no memory left for the KV cache of vLLM beside the weights of the model',
    fix: 'lower max_model_len, raise gpu_memory_utilization (0.95 at most), or choose a GPU with more memory',
    at: 'hardware.compute',
  },
  {
    cause: 'gpu-out-of-memory',
    rank: 5,
    signs: { 'Free memory on device': /Free memory on device .{0,200}is less than desired GPU memory utilization/ },
    title: 'another process uses the memory of the GPU that vLLM wants',
    fix: 'lower gpu_memory_utilization, or use the GPU from one process only',
    at: 'runtime.custom.entrypoint',
  },
  {
    cause: 'gpu-kernels-missing',
    rank: 5,
    signs: {
      'no kernel image is available': /no kernel image is available for execution on the device/,
      'is not compatible with the current PyTorch installation':
        /with CUDA capability (?<capability>sm_\d{2,3}) is not compatible with the current PyTorch installation/,
      'compute capability below': /GPUs with compute capability below (?<wanted>[\d.]{1,5}) are not supported/,
      'FlashAttention only supports': /FlashAttention only supports (?<wanted>\w{1,20}) GPUs or newer/,
      cudaErrorNoKernelImageForDevice: /cudaErrorNoKernelImageForDevice/,
    },
    title: 'the packages have no code for this GPU',
    fix: 'use a version of torch that supports the GPU, or another GPU',
    at: 'hardware.compute',
  },
  {
    cause: 'gpu-kernels-missing',
    rank: 5,
    signs: {
      'compute capability of at least':
        /only supported on GPUs with compute capability of at least (?<wanted>[\d.]{1,5})/,
    },
    title: 'the GPU does not compute in bfloat16',
    fix: 'load the model in float16 (--dtype=half), or choose a GPU of the generation Ampere or later',
    at: 'hardware.compute',
  },
  {
    cause: 'gpu-driver-too-old',
    rank: 5,
    signs: {
      'is too old (found version': /The NVIDIA driver on your system is too old \(found version (?<version>\d{1,8})\)/,
      'insufficient for CUDA runtime version': /CUDA driver version is insufficient for CUDA runtime version/,
      'forward compatibility was attempted': /forward compatibility was attempted on non supported HW/,
      'unsupported display driver': /unsupported display driver \/ cuda driver combination/,
      'unsupported toolchain': /provided PTX was compiled with an unsupported toolchain/,
      'unsatisfied condition: cuda': /unsatisfied condition: cuda ?>= ?(?<wanted>[\d.]{1,8})/,
    },
    title: 'the CUDA version of the app is newer than the driver of the platform',
    fix: 'use a base image or a version of torch that is built for an older CUDA',
    at: 'deployment.docker_base_image_url',
  },
  {
    cause: 'torch-without-cuda',
    rank: 5,
    signs: { 'Torch not compiled with CUDA enabled': /^AssertionError: Torch not compiled with CUDA enabled/ },
    title: 'torch was installed without CUDA',
    fix: 'install torch from PyPI, in a version without +cpu',
    at: 'dependencies.pip.torch',
  },
  {
    cause: 'gpu-driver-missing',
    rank: 5,
    signs: {
      'Found no NVIDIA driver': /^(?:\w[\w.]{0,60}Error: )?Found no NVIDIA driver on your system/,
      'No CUDA GPUs are available': /^RuntimeError: No CUDA GPUs are available/,
      'torch.cuda.is_available() is False':
        /Attempting to deserialize object on a CUDA device but torch\.cuda\.is_available\(\) is False/,
      'no CUDA-capable device is detected': /no CUDA-capable device is detected/,
      'CUDA driver initialization failed': /CUDA driver initialization failed, you might not have a CUDA gpu/,
      'CUDA unknown error': /CUDA unknown error - this may be due to an incorrectly set up environment/,
      'NVIDIA-SMI has failed': /NVIDIA-SMI has failed because it couldn't communicate/,
      'could not select device driver': /could not select device driver "[^"]{0,40}" with capabilities: \[\[gpu\]\]/,
      cudaErrorInsufficientDriver: /^\S{0,80}CUDARuntimeError: cudaErrorInsufficientDriver/,
      cudaErrorNoDevice: /cudaErrorNoDevice/,
      'libcuda.so': /libcuda\.so(?:\.1)?: cannot open shared object file/,
      'libnvidia-ml.so': /libnvidia-ml\.so(?:\.1)?: cannot open shared object file/,
      NVMLError_LibraryNotFound: /NVMLError_LibraryNotFound/,
      CudaSupportError: /CudaSupportError: /,
      CUDA_ERROR_NO_DEVICE: /^(?:\w[\w.]{0,80}Error: ).{0,200}CUDA_ERROR_NO_DEVICE/,
    },
    title: 'the app needs a GPU, and the replica has none',
    fix: 'set compute to a GPU, such as compute = "AMPERE_A10"',
    at: 'hardware.compute',
  },
  {
    cause: 'cuda-toolkit-missing',
    rank: 5,
    signs: {
      'CUDA_HOME environment variable is not set': /CUDA_HOME environment variable is not set/,
      'The detected CUDA version':
        /The detected CUDA version \((?<found>[\d.]{1,8})\) mismatches the version that was used to compile PyTorch \((?<wanted>[\d.]{1,8})\)/,
      'Unsupported gpu architecture': /nvcc fatal {1,4}: Unsupported gpu architecture '(?<wanted>\w{1,20})'/,
      'nvcc ': /nvcc (?:was )?not found/,
    },
    title: 'a package has to be compiled with the CUDA toolkit, which the image does not have in this version',
    fix: 'use a wheel of the package, or a base image such as nvidia/cuda:12.4.1-devel-ubuntu22.04',
    at: 'deployment.docker_base_image_url',
  },
];
