// SPDX-License-Identifier: GPL-2.0-or-later
// Room core/store: what was seen, kept in one sqlite file (metrics.db) that the daemon writes and nobody else: samples in compressed
// chunks, states and gaps by their changes, events, findings. It reads no host and asks no clock: every time comes in. It judges
// nothing. docs/decisions/0014 says why the format is as it is.
//
// This header is the only one that knows sqlite: connection, statement, transaction.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace rd::store {

// The class of an Error says what a writer can make of it; its text has sqlite's own words:
//   limit         no room on the file system
//   no_privilege  the file or its file system cannot be written
//   bad_input     not a database, or pages that contradict each other
//   timed_out     somebody else holds it
class Statement {
public:
    Statement(Statement&&) noexcept;
    Statement& operator=(Statement&&) = delete;
    ~Statement();

    // Positions from 1, in the order of the call. Text and blobs are not copied: they must live until the statement has run.
    Statement& bind(int at, std::int64_t value);
    Statement& bind(int at, double value);
    Statement& bind(int at, std::string_view text);
    Statement& bind_blob(int at, std::string_view bytes);
    Statement& bind_null(int at);

    // True: there is a row. At the end, and after an error, the statement is ready to be bound and run again.
    [[nodiscard]] Result<bool> step();
    // For what gives no rows.
    [[nodiscard]] Result<> run();

    // Columns from 0, of the row that step() found; valid until the next step().
    [[nodiscard]] std::int64_t integer(int column) const;
    [[nodiscard]] double real(int column) const;
    [[nodiscard]] std::string_view text(int column) const;
    [[nodiscard]] std::string_view blob(int column) const;
    [[nodiscard]] bool is_null(int column) const;
    enum class Cell { null, integer, real, text, blob };
    [[nodiscard]] Cell type(int column) const;

private:
    friend class Database;
    Statement(sqlite3* database, sqlite3_stmt* statement) : database_(database), statement_(statement) {}
    sqlite3* database_;
    sqlite3_stmt* statement_;
};

// Runs to the end, handing each row to `take`, which may fail.
template <class Take>
Result<> each(Statement& statement, const Take& take) {
    auto row = statement.step();
    for (; row && *row; row = statement.step()) {
        if (Result<> taken = take(statement); !taken) return taken;
    }
    if (!row) return tl::unexpected(std::move(row.error()));
    return {};
}

class Database {
public:
    enum class Mode { write, read };
    static constexpr int kCacheKib = 512;  // pages of the file that are kept in memory
    // `write` makes the file if it is not there. A reader waits for a writer up to half a second.
    static Result<Database> open(const std::string& path, Mode mode);
    Database(Database&&) noexcept;
    Database& operator=(Database&&) noexcept;
    ~Database();

    [[nodiscard]] Result<> run(std::string_view sql);  // one or more statements without parameters
    [[nodiscard]] Result<Statement> prepare(std::string_view sql) const;
    [[nodiscard]] Result<std::int64_t> integer(
        std::string_view sql) const;  // the first column of the first row; 0 without a row
    [[nodiscard]] std::int64_t last_id() const;
    [[nodiscard]] std::int64_t changed() const;  // rows of the last statement
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    Database(sqlite3* database, std::string path) : database_(database), path_(std::move(path)) {}
    sqlite3* database_;
    std::string path_;
};

// Takes everything back unless commit() was called.
class Transaction {
public:
    static Result<Transaction> begin(Database& database);
    Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
    Transaction& operator=(Transaction&&) = delete;
    ~Transaction();
    [[nodiscard]] Result<> commit();

private:
    explicit Transaction(Database& database) : database_(&database) {}
    Database* database_;
};

}  // namespace rd::store
