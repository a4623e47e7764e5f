// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/store/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <utility>

namespace rd::store {
namespace {

constexpr int kBusyMs = 500;

tl::unexpected<Error> failed(sqlite3* database, std::string_view doing) {
    // sqlite keeps it for a failing COMMIT in newer versions only, and never takes it back.
    const int system = errno;
    const int code = sqlite3_extended_errcode(database);
    const char* path = sqlite3_db_filename(database, "main");
    std::string what = fmt::format("{}: {}: {}", path == nullptr ? "store" : path, doing, sqlite3_errmsg(database));
    switch (code & 0xff) {
        case SQLITE_FULL:
            return fail(Errc::limit, std::move(what), "make room on its file system, or lower [store] size");
        case SQLITE_READONLY:
        case SQLITE_PERM:
        case SQLITE_AUTH:
        case SQLITE_CANTOPEN:
            return fail(Errc::no_privilege, std::move(what),
                        "make the file and its directory writable for the service");
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
            return fail(Errc::bad_input, std::move(what));
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return fail(Errc::timed_out, std::move(what),
                        "another program holds the file; only one daemon may write it");
        case SQLITE_IOERR:
            // No full disk to sqlite: a quota, and a limit of the process.
            if (system == EFBIG)
                return fail(Errc::limit, std::move(what),
                            "the file may not grow further: raise LimitFSIZE= of the service, or lower [store] size");
            if (system == EDQUOT)
                return fail(Errc::limit, std::move(what),
                            "the quota of its user is used up: raise it, or lower [store] size");
            [[fallthrough]];
        default:
            return fail(Errc::io, std::move(what));
    }
}

}  // namespace

Statement::Statement(Statement&& other) noexcept
    : database_(other.database_), statement_(std::exchange(other.statement_, nullptr)) {}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::bind(int at, std::int64_t value) {
    sqlite3_bind_int64(statement_, at, value);
    return *this;
}

Statement& Statement::bind(int at, double value) {
    sqlite3_bind_double(statement_, at, value);
    return *this;
}

Statement& Statement::bind(int at, std::string_view text) {
    // An empty view may have no address, which would be NULL to sqlite.
    sqlite3_bind_text64(statement_, at, text.data() == nullptr ? "" : text.data(), text.size(), SQLITE_STATIC,
                        SQLITE_UTF8);
    return *this;
}

Statement& Statement::bind_blob(int at, std::string_view bytes) {
    sqlite3_bind_blob64(statement_, at, bytes.data() == nullptr ? "" : bytes.data(), bytes.size(), SQLITE_STATIC);
    return *this;
}

Statement& Statement::bind_null(int at) {
    sqlite3_bind_null(statement_, at);
    return *this;
}

Result<bool> Statement::step() {
    switch (sqlite3_step(statement_)) {
        case SQLITE_ROW:
            return true;
        case SQLITE_DONE:
            sqlite3_reset(statement_);
            return false;
        default: {
            auto error = failed(database_, sqlite3_sql(statement_));
            sqlite3_reset(statement_);
            return error;
        }
    }
}

Result<> Statement::run() {
    auto row = step();
    while (row && *row) row = step();
    if (!row) return tl::unexpected(std::move(row.error()));
    return {};
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_, column); }
double Statement::real(int column) const { return sqlite3_column_double(statement_, column); }

std::string_view Statement::text(int column) const {
    const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return data == nullptr ? std::string_view{}
                           : std::string_view(data, std::size_t(sqlite3_column_bytes(statement_, column)));
}

std::string_view Statement::blob(int column) const {
    const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_, column));
    return data == nullptr ? std::string_view{}
                           : std::string_view(data, std::size_t(sqlite3_column_bytes(statement_, column)));
}

bool Statement::is_null(int column) const { return type(column) == Cell::null; }

Statement::Cell Statement::type(int column) const {
    switch (sqlite3_column_type(statement_, column)) {
        case SQLITE_INTEGER:
            return Cell::integer;
        case SQLITE_FLOAT:
            return Cell::real;
        case SQLITE_TEXT:
            return Cell::text;
        case SQLITE_BLOB:
            return Cell::blob;
        default:
            return Cell::null;
    }
}

Result<Database> Database::open(const std::string& path, Mode mode) {
    // In one piece: pages that are asked for one by one while an hour is packed lie among what is freed after it, and hold it.
    static const int configured = sqlite3_config(SQLITE_CONFIG_PAGECACHE, nullptr, 0, -Database::kCacheKib);
    static_cast<void>(configured);  // refused where sqlite is in use already: it is about memory only
    sqlite3* handle = nullptr;
    const int flags = mode == Mode::write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    const int code = sqlite3_open_v2(path.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX, nullptr);
    Database database(handle, path);
    if (code != SQLITE_OK) {
        if (handle == nullptr) return fail(Errc::io, path + ": no memory to open it");
        return fail(code == SQLITE_CANTOPEN ? Errc::not_found : Errc::io,
                    fmt::format("{}: cannot be opened: {}", path, sqlite3_errmsg(handle)),
                    "the directory must exist and be writable for the service");
    }
    sqlite3_extended_result_codes(handle, 1);
    sqlite3_busy_timeout(handle, kBusyMs);
    return database;
}

Database::Database(Database&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)), path_(std::move(other.path_)) {}

Database& Database::operator=(Database&& other) noexcept {
    std::swap(database_, other.database_);
    std::swap(path_, other.path_);
    return *this;
}

Database::~Database() { sqlite3_close_v2(database_); }

Result<> Database::run(std::string_view sql) {
    if (sqlite3_exec(database_, std::string(sql).c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
        return failed(database_, sql.substr(0, 60));
    }
    return {};
}

Result<Statement> Database::prepare(std::string_view sql) const {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v3(database_, sql.data(), int(sql.size()), SQLITE_PREPARE_PERSISTENT, &statement, nullptr) !=
        SQLITE_OK) {
        return failed(database_, sql.substr(0, 60));
    }
    return Statement(database_, statement);
}

Result<std::int64_t> Database::integer(std::string_view sql) const {
    auto statement = prepare(sql);
    if (!statement) return tl::unexpected(std::move(statement.error()));
    auto row = statement->step();
    if (!row) return tl::unexpected(std::move(row.error()));
    return *row ? statement->integer(0) : 0;
}

std::int64_t Database::last_id() const { return sqlite3_last_insert_rowid(database_); }
std::int64_t Database::changed() const { return sqlite3_changes64(database_); }

Result<Transaction> Transaction::begin(Database& database) {
    if (auto begun = database.run("BEGIN IMMEDIATE"); !begun) return tl::unexpected(std::move(begun.error()));
    return Transaction(database);
}

Transaction::~Transaction() {
    // sqlite itself takes back what ran out of room; a second ROLLBACK then complains, and nothing is left to do about it.
    if (database_ != nullptr) static_cast<void>(database_->run("ROLLBACK"));
}

Result<> Transaction::commit() {
    auto done = database_->run("COMMIT");
    if (done) database_ = nullptr;
    return done;
}

}  // namespace rd::store
