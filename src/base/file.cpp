// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "gemmill/error.hpp"

namespace gemmill {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

[[noreturn]] void io_error(const std::string& path, const char* doing) {
    throw Error(Code::io, fmt::format("cannot {} '{}': {}", doing, path, std::strerror(errno)));
}

/// Far more than any plan has; /dev/zero has no end.
void require_readable(std::uintmax_t bytes, const std::string& path) {
    require(bytes <= std::uintmax_t{1} << 30, Code::io, "1 GiB at most",
            fmt::format("cannot read '{}': it is too large", path));
}

/// A new file, never one that somebody else, or another thread, has put there.
std::FILE* open_beside(const std::string& path, std::string& name) {
    constexpr int tries = 100;
    for (int i = 0; i < tries; ++i) {
        name = fmt::format("{}.{}.{}.tmp", path, ::getpid(), i);
        std::FILE* const file = std::fopen(name.c_str(), "wbx");
        if (file != nullptr || errno != EEXIST) return file;
    }
    return nullptr;
}

/// /dev/stdout and its like are written in place. /dev/shm is a folder for anybody's files.
bool is_device(std::string_view path) {
    return path.starts_with("/dev/") && !path.starts_with("/dev/shm/");
}

/// nullptr, and errno says why.
std::FILE* open_to_append(const std::string& path) {
    const int careful = is_device(path) ? 0 : O_CREAT | O_NOFOLLOW | O_NONBLOCK;
    const int file =
        ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | careful, 0666);
    struct stat what {};
    if (file < 0 || is_device(path) || (::fstat(file, &what) == 0 && S_ISREG(what.st_mode)))
        return file < 0 ? nullptr : ::fdopen(file, "ab");
    ::close(file);
    errno = EINVAL;
    return nullptr;
}

}  // namespace

std::string read_file(const std::string& path) {
    const File file(std::fopen(path.c_str(), "rb"), std::fclose);
    if (!file) io_error(path, "read");
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored))
        require_readable(std::filesystem::file_size(path, ignored), path);
    std::string text;
    char block[65536];
    while (const std::size_t got = std::fread(block, 1, sizeof block, file.get())) {
        text.append(block, got);
        require_readable(text.size(), path);
    }
    if (std::ferror(file.get()) != 0) io_error(path, "read");
    return text;
}

void write_file(const std::string& path, std::string_view text) {
    // Written beside and renamed, so that a full disk leaves the old file. What is there and no
    // plain file (/dev/stdout, a pipe) is written in place.
    std::error_code ignored;
    const auto there = std::filesystem::status(path, ignored);
    const bool plain = !is_device(path) &&
                       (!std::filesystem::exists(there) || std::filesystem::is_regular_file(there));
    std::string target = path;
    File file(plain ? open_beside(path, target) : std::fopen(path.c_str(), "wb"), std::fclose);
    if (!file) io_error(path, "write");
    bool good = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
    good = std::fclose(file.release()) == 0 && good;
    if (good && plain) good = std::rename(target.c_str(), path.c_str()) == 0;
    if (good) return;
    const int reason = errno;
    if (plain) std::remove(target.c_str());
    errno = reason;
    io_error(path, "write");
}

void append_file(const std::string& path, std::string_view text) {
    File file(open_to_append(path), std::fclose);
    if (!file) io_error(path, "add to");
    const bool whole = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
    if (std::fclose(file.release()) != 0 || !whole) io_error(path, "add to");
}

}  // namespace gemmill
