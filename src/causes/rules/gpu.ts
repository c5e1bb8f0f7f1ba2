import { type FailureRule, messageRows, texts } from '../rule.ts';

/** GPUs: memory, drivers, and what was compiled for them. Libraries around GPUs: cuDNN, NCCL, ONNX Runtime, and what is run on which device. */
export const gpuRules: readonly FailureRule[] = [
  ...messageRows(`
5 cuda-toolkit-missing | CUDA_HOME environment variable is not set; The detected CUDA version ({found}) mismatches the version; Unsupported gpu architecture '{wanted}'; nvcc was not found; nvcc not found; Could not find nvcc ; CMAKE_CUDA_COMPILER not found; CMAKE_CUDA_COMPILER: not found; CMAKE_CUDA_COMPILER could be found; CMAKE_CUDA_COMPILER-NOTFOUND; No such file or directory: '…/nvcc' | a package has to be compiled with the CUDA toolkit, which the image does not have in this version | use a wheel of the package, or a base image such as nvidia/cuda:12.4.1-devel-ubuntu22.04 | deployment.docker_base_image_url
3 device-mismatch | Expected all tensors to be on the same device; RuntimeError: Input type (…) and weight type (…) should be the same; RuntimeError: Input type (…) and bias type (…) should be the same; not implemented for 'Half'; not implemented for 'BFloat16'; RuntimeError: expected scalar type {wanted} but found; RuntimeError: expected …have the same dtype; mat1 and mat2 must have the same dtype | a tensor is on another device, or of another data type, than the model | move inputs to the model (x.to(model.device, model.dtype)), and use float32 on a CPU
5 gpu-count-too-low | CUDA error: invalid device ordinal; number of required GPUs exceeds the total number of; larger than the number of available GPUs; greater than the number of available GPUs | the app uses more GPUs than the replica has | use as many as gpu_count says (--tensor-parallel-size, device_map="auto"), or raise gpu_count | hardware.gpu_count
3 gpu-connection-failed | NCCL error; ^ncclSystemError: ; ^ncclUnhandledCudaError: ; NCCL WARN Cuda failure | NCCL, which connects the GPUs of the replica, failed | set NCCL_DEBUG=INFO in the environment to see why: often too little shared memory (NCCL_SHM_DISABLE=1), or a driver that is too old | hardware.gpu_count
shared-library-missing | Failed to create CUDAExecutionProvider | onnxruntime does not find the CUDA and cuDNN that it was built for, and uses the CPU | use a base image with that CUDA and cuDNN, or a version of onnxruntime-gpu for the CUDA of the image | deployment.docker_base_image_url
5 shared-library-missing | Cannot load symbol cudnn{name}; Unable to load cuDNN. Is it installed; DNN library is not found; Unable to load any of {libcudnn | the image lacks cuDNN, or has another one than the packages need | use a base image such as nvidia/cuda with cudnn and runtime in its tag, or add nvidia-cudnn-cu12 to [cerebrium.dependencies.pip] | deployment.docker_base_image_url
5 binary-incompatible | Loaded runtime CuDNN library: {found} but source was compiled with; Loaded runtime cuDNN library: {found} but source was compiled with; Found cuDNN version {found}, but JAX was built against version; Outdated cuDNN installation found; cuDNN version incompatibility: PyTorch was compiled | the cuDNN that is loaded is older than a package was built with: {found} | let the package bring its own (jax[cuda12], or torch of pip) in an image without cuDNN and without LD_LIBRARY_PATH, or use a newer base image | deployment.docker_base_image_url
3 gpu-out-of-memory | CUDA_ERROR_OUT_OF_MEMORY | the GPU has too little memory | choose a GPU with more memory, use smaller batches, or use the GPU from one process only | hardware.compute
5 torch-without-cuda | ^AssertionError: Torch not compiled with CUDA enabled | torch was installed without CUDA | install torch from PyPI, in a version without +cpu | dependencies.pip.torch
5 gpu-out-of-memory | No available memory for the cache blocks; larger than the maximum number of tokens that can be stored in KV cache; larger than the available KV cache memory | the GPU has no memory left for the KV cache of vLLM beside the weights of the model | lower max_model_len, raise gpu_memory_utilization (0.95 at most), or choose a GPU with more memory | hardware.compute
5 gpu-out-of-memory | Free memory on device …is less than desired GPU memory utilization | another process uses the memory of the GPU that vLLM wants | lower gpu_memory_utilization, or use the GPU from one process only | runtime.custom.entrypoint
7 shared-memory-full | NCCL WARN …shared memory segment; Error while creating shared memory segment; failed to extend /dev/shm/nccl | NCCL, which connects the GPUs of the replica, has too little shared memory | set NCCL_SHM_DISABLE=1 in the environment, or use one larger GPU; on a machine of your own, start the container with --shm-size=2g | hardware.gpu_count
5 compiler-missing | Failed to find C compiler; InvalidCxxCompiler; No working C++ compiler found in | Triton compiles while the app runs, and the image has no compiler for it | add build-essential to [cerebrium.dependencies.apt] (it has gcc), or start without torch.compile | dependencies.apt
5 gpu-kernels-missing | only supported on GPUs with compute capability of at least {wanted} | the GPU does not compute in bfloat16 | load the model in float16 (--dtype=half), or choose a GPU of the generation Ampere or later | hardware.compute
`),
  {
    cause: 'gpu-out-of-memory',
    inFiles: true,
    rank: 5,
    signs: [
      /CUDA out of memory\. Tried to allocate (?<amount>[\d.]{1,10} \w{2,4})(?!.*\bretry)|(?:Caught|Error:) CUDA out of memory/,
      /CUDA (?:runtime )?error: out of memory/,
      ...texts(`Dst tensor is not initialized; OOM when allocating tensor with shape; CUBLAS_STATUS_ALLOC_FAILED;
        cudaErrorMemoryAllocation`),
    ],
    title: 'the GPU has too little memory',
    fix: 'choose a GPU with more memory, load the model in half precision or quantized, or use smaller batches',
    at: 'hardware.compute',
  },
  {
    cause: 'gpu-kernels-missing',
    inFiles: true,
    rank: 5,
    signs: [
      /with CUDA capability (?<capability>sm_\d{2,3}) is not compatible with the current PyTorch installation/,
      /GPUs with compute capability below (?<wanted>[\d.]{1,5}) are not supported/,
      /FlashAttention only supports (?<wanted>\w{1,20}) GPUs or newer/,
      /Value '(?<capability>sm_\w{2,5})' is not defined for option 'gpu-name'/,
      ...texts(`no kernel image is available for execution on the device; cudaErrorNoKernelImageForDevice;
        No supported GPU(s) detected to run this container;
        which is not yet supported in this version of the container;
        PyTorch no longer supports this GPU because it is too old`),
    ],
    title: 'the packages have no code for this GPU',
    fix: 'use a version of torch or a base image for this GPU (of Blackwell, sm_100 and sm_120: torch 2.7 or later for CUDA 12.8), or another GPU',
    at: 'hardware.compute',
  },
  {
    cause: 'gpu-driver-too-old',
    rank: 5,
    signs: [
      /The NVIDIA driver on your system is too old \(found version (?<version>\d{1,8})\)/,
      /unsatisfied condition: cuda ?>= ?(?<wanted>[\d.]{1,8})/,
      ...texts(`CUDA driver version is insufficient for CUDA runtime version;
        forward compatibility was attempted on non supported HW;
        unsupported display driver / cuda driver combination;
        provided PTX was compiled with an unsupported toolchain`),
    ],
    title: 'the CUDA version of the app is newer than the driver of the platform',
    fix: 'use a base image or a version of torch that is built for an older CUDA, and leave a libcuda of the image (cuda-compat) out of LD_LIBRARY_PATH',
    at: 'deployment.docker_base_image_url',
  },
  {
    cause: 'gpu-driver-missing',
    rank: 5,
    signs: [
      /^(?:\w[\w.]{0,60}Error: )?Found no NVIDIA driver on your system/,
      /could not select device driver "[^"]{0,40}" with capabilities: \[\[gpu\]\]/,
      /^\S{0,80}CUDARuntimeError: cudaErrorInsufficientDriver/,
      /libcuda\.so(?:\.1)?: cannot open shared object file/,
      /libnvidia-ml\.so(?:\.1)?: cannot open shared object file/,
      /^(?:\w[\w.]{0,80}Error: ).{0,200}CUDA_ERROR_NO_DEVICE/,
      ...texts(`RuntimeError: No CUDA GPUs are available;
                no CUDA-capable device is detected; CUDA driver initialization failed, you might not have a CUDA gpu;
        CUDA unknown error - this may be due to an incorrectly set up environment;
        NVIDIA-SMI has failed because it couldn't communicate; cudaErrorNoDevice; NVMLError_LibraryNotFound;
        CudaSupportError:; nvidia-container-cli: initialization error; No GPU found. A GPU is needed;
        libcuda.so cannot found; No visible GPU devices; unknown or invalid runtime name: nvidia;
        Failed to initialize NVML: Unknown Error; cuda runtime error (30)`),
      /RuntimeError: Failed to infer device type/,
    ],
    title: 'the app needs a GPU, and the replica has none',
    fix: 'set compute to a GPU, such as compute = "AMPERE_A10"; on a machine of your own, install the NVIDIA container toolkit and start the container with --gpus all',
    at: 'hardware.compute',
  },
  {
    cause: 'shared-library-missing',
    // Only the package for the CPU has this list.
    rank: 2,
    signs: [/\['AzureExecutionProvider', 'CPUExecutionProvider'\]/],
    after: /NVIDIA|CUDA Available: True/,
    title: 'onnxruntime has no CUDA: the package for the CPU is installed, alone or beside onnxruntime-gpu',
    fix: 'remove onnxruntime, and install onnxruntime-gpu alone',
    at: 'dependencies.pip.onnxruntime',
  },
];
