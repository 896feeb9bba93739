/** The database schema as numbered steps; each runs once. A released step is never changed. */
import { execute, isMilestone, selectMeta, upsertMeta } from './statements.ts'

const CREATE_META = 'CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID'

/** The step at index 0 leads to schema version 1. */
const migrations: readonly (readonly string[])[] = [
  [
    // `bytes` is the size of the value: pages are sized by it without reading the log.
    'CREATE TABLE current (key TEXT PRIMARY KEY, rv INTEGER NOT NULL, bytes INTEGER NOT NULL) WITHOUT ROWID',
    // The value is the last column, so that the columns before it are read without its overflow pages.
    `CREATE TABLE log (
      rv INTEGER PRIMARY KEY, key TEXT NOT NULL, type INTEGER NOT NULL, prev_rv INTEGER NOT NULL,
      at INTEGER NOT NULL, labels TEXT NOT NULL, value TEXT NOT NULL
    )`,
  ],
  [
    // The dependents of an owner; `owner` is a JSON list that begins with the owner's uid.
    `CREATE TABLE dependents (
      owner TEXT NOT NULL, key TEXT NOT NULL, blocking INTEGER NOT NULL, PRIMARY KEY (owner, key)
    ) WITHOUT ROWID`,
    // The known state of these owners, and when their dependents have to be processed (NULL: not at all).
    `CREATE TABLE owners (
      owner TEXT PRIMARY KEY, state TEXT NOT NULL, place TEXT NOT NULL, after TEXT NOT NULL,
      incomplete INTEGER NOT NULL, attempt INTEGER NOT NULL, due INTEGER
    ) WITHOUT ROWID`,
    'CREATE INDEX owners_due ON owners (due) WHERE due IS NOT NULL',
    // Deletions in this object of which other Durable Objects must be notified; place '' is for the work in this object.
    `CREATE TABLE deletions (
      uid TEXT NOT NULL, place TEXT NOT NULL, key TEXT NOT NULL, phase TEXT NOT NULL, attempt INTEGER NOT NULL, due INTEGER,
      PRIMARY KEY (uid, place)
    ) WITHOUT ROWID`,
    'CREATE INDEX deletions_due ON deletions (due) WHERE due IS NOT NULL',
    // Places with dependents of our collections, and collections in other places that know we store some of their dependents.
    'CREATE TABLE dependent_places (prefix TEXT NOT NULL, place TEXT NOT NULL, PRIMARY KEY (prefix, place)) WITHOUT ROWID',
    'CREATE TABLE introductions (prefix TEXT PRIMARY KEY) WITHOUT ROWID',
  ],
  [
    // The labels are stored beside the key: a selection reads them alone.
    `ALTER TABLE current ADD COLUMN labels TEXT NOT NULL DEFAULT ''`,
    'UPDATE current SET labels = (SELECT l.labels FROM log l WHERE l.rv = current.rv)',
    // An older version of a key is found from the next milestone, not from the newest version: see statements.ts.
    `CREATE INDEX log_milestones ON log (key, rv) WHERE ${isMilestone}`,
    'CREATE INDEX log_deletions ON log (key, rv) WHERE type = 2',
  ],
  // Since this schema, values that are derived from objects are stored, and the commits that change the objects delete them.
  // Earlier releases would leave them outdated.
  [],
]

/**
 * The oldest schema whose releases can read and write a database of this schema. A step that only adds tables, columns with a
 * default, or indexes leaves it as it is, so that a release can be taken back (docs/upgrades.md). Any other step raises it.
 */
const minimumReader = 4

/** The name in `meta` under which the database states its minimum reader. */
const minimumReaderKey = 'minimumReader'

const versionOf = (sql: SqlStorage): number => Number(selectMeta(sql, 'schema') ?? 0)

/** Throws if the database has a newer schema that this release cannot read and write. */
export function requireReadable(sql: SqlStorage): void {
  const version = versionOf(sql)
  const oldest = Number(selectMeta(sql, minimumReaderKey) ?? version)
  if (version <= migrations.length || oldest <= migrations.length) return
  throw new Error(
    `the data was written by a newer release (schema ${version}), which releases with schema ${oldest} or later can read; this one has schema ${migrations.length}`,
  )
}

/** Brings the database to the schema of this release. A newer schema stays. Call it within a transaction. */
export function migrate(sql: SqlStorage): void {
  execute(sql, CREATE_META)
  const version = versionOf(sql)
  if (version >= migrations.length) return
  for (const statements of migrations.slice(version)) {
    for (const statement of statements) execute(sql, statement)
  }
  upsertMeta(sql, 'schema', String(migrations.length))
  upsertMeta(sql, minimumReaderKey, String(minimumReader))
}
