// SPDX-License-Identifier: GPL-2.0-or-later
// Lines of a text that are no output: shell prompts with what was typed at them, headings that name a host or a command, and the
// fences of code blocks.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rd::ingest {

struct Prompt {
    std::string host;          // as the prompt shows it; empty when it does not
    std::string_view command;  // what was typed, into the line; empty for a bare prompt
};

// "$ cmd", "# cmd", "user@host:~$ cmd", "[root@host ~]# cmd", "host:~ # cmd", "bash-5.1# cmd", "+ cmd", "(env) …", with a time
// before it, quoted as in mails ("> $ cmd"). "# words" is a comment unless it begins with a program that people run.
[[nodiscard]] std::optional<Prompt> prompt_of(std::string_view line);

// Would a shell be told this, rather than a person? "time to look" is no command, "time ib_write_bw" is.
[[nodiscard]] bool is_surely_command(std::string_view text);

// "=== hostB ===", "On the server:", "## node1", "Host: hostB", "node-02:". Decorated lines name any host, plain ones only what is
// surely one: server, client, node3, hostA.
[[nodiscard]] std::optional<std::string> host_heading_of(std::string_view line);

// "`ethtool -S eth2`:", "**ibstat**", "Output of `rdma link`:", "ethtool -S eth2". What may be a command line that stands over its
// output; whether it is, only the forms know. `sure`: it is set apart as code.
struct CommandHeading {
    std::string command;
    bool sure = false;
};
[[nodiscard]] std::optional<CommandHeading> command_heading_of(std::string_view line);

[[nodiscard]] bool is_fence(std::string_view line);  // ```, ~~~

// "node1: rest", as pdsh, clush and their like print it: the length of the name, 0 when there is none.
[[nodiscard]] std::size_t host_prefix_of(std::string_view line);

}  // namespace rd::ingest
