// SPDX-License-Identifier: GPL-2.0-or-later
// A directory that is removed at the end of a test.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rd {

class TempDirectory {
public:
    TempDirectory() {
        if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("mkdtemp");
        std::filesystem::permissions(path_, std::filesystem::perms(0755));
    }
    TempDirectory(const TempDirectory&) = delete;
    TempDirectory& operator=(const TempDirectory&) = delete;
    ~TempDirectory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }
    // Creates the folders on the way; gives the whole path.
    std::string file(std::string_view name, std::string_view text) const {
        const std::filesystem::path path = *this / name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << text;
        return path.string();
    }

private:
    std::string path_ = std::filesystem::temp_directory_path() / "rdmadoctor-test.XXXXXX";
};

}  // namespace rd
