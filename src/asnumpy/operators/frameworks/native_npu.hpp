// Workspace and tiling of a launch in the memory of an NPU, for functions in C that asnumpy writes for operators.
#include <map>
#include <mutex>

extern "C" {
int aclrtGetDevice(int32_t* device);
int aclrtMalloc(void** address, size_t bytes, int policy);
int aclrtFree(void* address);
int aclrtMemcpy(void* to, size_t room, const void* from, size_t bytes, int kind);
int aclrtSynchronizeStream(void* stream);
int aclrtSynchronizeDevice(void);
}

namespace asnumpy_native {

// What launches have had stays for the next ones: memory of CANN's is asked for where a launch needs more than those before it on its
// stream, or a structure that none had. Held from the question for memory to the launch that uses it.
class NpuExtras {
public:
    explicit NpuExtras(void* stream) : held_(kept().lock), stream_(stream) { expect("aclrtGetDevice", aclrtGetDevice(&device_)); }

    // Launches of one stream follow each other, and so may share it.
    void* workspace(const char* kernel, int64_t bytes) {
        const size_t wanted = checked_workspace(kernel, bytes);
        Memory& one = kept().workspaces[{device_, stream_}];
        if (one.bytes < wanted) {
            if (one.address) {
                expect("aclrtSynchronizeStream", aclrtSynchronizeStream(stream_));
                const Memory old = std::exchange(one, {});
                expect("aclrtFree", aclrtFree(old.address));
            }
            one = {allocated(wanted), wanted};
        }
        return one.address;
    }
    // Nothing writes there, so that launches of all streams may share it.
    void* tiling(Structure values) {
        const std::vector<char> bytes = values.bytes();
        auto& tilings = kept().tilings;
        const auto found = tilings.find({device_, bytes});
        if (found != tilings.end()) return found->second;
        if (tilings.size() >= most) forget();
        void* const address = allocated(std::max<size_t>(bytes.size(), 1));
        constexpr int to_device = 1;
        if (const int code = bytes.empty() ? 0 : aclrtMemcpy(address, bytes.size(), bytes.data(), bytes.size(), to_device)) {
            aclrtFree(address);
            expect("aclrtMemcpy", code);
        }
        return tilings[{device_, bytes}] = address;
    }

    // All that is kept on the device that the thread uses.
    static void release_all() {
        NpuExtras all(nullptr);
        all.forget();
        all.release(kept().workspaces, [](const Memory& one) { return one.address; });
    }

private:
    static constexpr size_t most = 256;
    struct Memory {
        void* address = nullptr;
        size_t bytes = 0;
    };
    struct Kept {
        std::mutex lock;
        std::map<std::pair<int32_t, void*>, Memory> workspaces;
        std::map<std::pair<int32_t, std::vector<char>>, void*> tilings;
    };
    static Kept& kept() {
        static Kept* const one = new Kept;  // stays: CANN may be gone when the process ends
        return *one;
    }
    static void expect(const char* function, int code) {
        if (code) throw Failure(code == 207001 ? "MemoryError" : "RuntimeError", std::string(function) + " gave " + std::to_string(code));
    }
    static void* allocated(size_t bytes) {
        void* address = nullptr;
        expect("aclrtMalloc", aclrtMalloc(&address, bytes, 0));
        return address;
    }
    // Those of this device, when all that runs there has ended.
    void forget() {
        expect("aclrtSynchronizeDevice", aclrtSynchronizeDevice());
        release(kept().tilings, [](void* address) { return address; });
    }
    template <class Map, class Address>
    void release(Map& map, const Address& address_of) {
        for (auto one = map.begin(); one != map.end();) {
            if (one->first.first != device_) {
                ++one;
                continue;
            }
            void* const address = address_of(one->second);
            one = map.erase(one);
            if (address) expect("aclrtFree", aclrtFree(address));
        }
    }
    std::unique_lock<std::mutex> held_;
    void* stream_;
    int32_t device_ = 0;
};

}  // namespace asnumpy_native
