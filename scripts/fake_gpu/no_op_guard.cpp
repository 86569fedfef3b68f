// Lets a CPU build of libtorch believe that the device type CUDA exists: guards and streams that do
// nothing, and hooks that say "one device". Load it with RTLD_GLOBAL before torch is imported, so that
// its at::detail::getCUDAHooks() is found before libtorch's own.
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

namespace {

const c10::Device kDevice{c10::DeviceType::CUDA, 0};
const c10::Stream kStream{c10::Stream::DEFAULT, kDevice};

struct NoOpGuard : c10::impl::NoOpDeviceGuardImpl<c10::DeviceType::CUDA> {
  c10::Device exchangeDevice(c10::Device) const override { return kDevice; }
  c10::Device getDevice() const override { return kDevice; }
  c10::Stream getStream(c10::Device) const noexcept override { return kStream; }
  c10::Stream getDefaultStream(c10::Device) const override { return kStream; }
  c10::Stream getNewStream(c10::Device, int) const override { return kStream; }
  c10::Stream exchangeStream(c10::Stream) const noexcept override { return kStream; }
  void record(void** event, const c10::Stream&, const c10::DeviceIndex, const c10::EventFlag) const override {
    *event = reinterpret_cast<void*>(1);  // anything but null: "recorded"
  }
  void block(void*, const c10::Stream&) const override {}
  bool queryEvent(void*) const override { return true; }
  void destroyEvent(void*, const c10::DeviceIndex) const noexcept override {}
  bool queryStream(const c10::Stream&) const override { return true; }
  void synchronizeStream(const c10::Stream&) const override {}
};

c10::impl::DeviceGuardImplRegistrar registered(c10::DeviceType::CUDA, new NoOpGuard());

}  // namespace

namespace at {

struct OneDeviceHooks : CUDAHooksInterface {
  bool hasCUDA() const override { return true; }
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(DeviceIndex) const override { return false; }
  DeviceIndex deviceCount() const override { return 1; }
  DeviceIndex getCurrentDevice() const override { return 0; }
  void init() const override {}
};

namespace detail {
const CUDAHooksInterface& getCUDAHooks() {
  static OneDeviceHooks* hooks = new OneDeviceHooks();
  return *hooks;
}
}  // namespace detail

}  // namespace at
