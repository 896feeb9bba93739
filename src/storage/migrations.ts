/** The schema of the database, in numbered steps that run once each. A step that was released is never changed. */
import { execute, isMilestone, selectMeta, upsertMeta } from './statements.ts'

const CREATE_META = 'CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID'

/** Index 0 leads to schema version 1. */
const migrations: readonly (readonly string[])[] = [
  [
    // `bytes` is the size of the value: pages are cut by it without reading the log.
    'CREATE TABLE current (key TEXT PRIMARY KEY, rv INTEGER NOT NULL, bytes INTEGER NOT NULL) WITHOUT ROWID',
    // The value comes last: the columns before it are read without its overflow pages.
    `CREATE TABLE log (
      rv INTEGER PRIMARY KEY, key TEXT NOT NULL, type INTEGER NOT NULL, prev_rv INTEGER NOT NULL,
      at INTEGER NOT NULL, labels TEXT NOT NULL, value TEXT NOT NULL
    )`,
  ],
  [
    // Which objects refer to an owner; `owner` is a JSON list that begins with the owner's uid.
    `CREATE TABLE dependents (
      owner TEXT NOT NULL, key TEXT NOT NULL, blocking INTEGER NOT NULL, PRIMARY KEY (owner, key)
    ) WITHOUT ROWID`,
    // What is known of these owners, and when something is to be done about their dependents (NULL: nothing).
    `CREATE TABLE owners (
      owner TEXT PRIMARY KEY, state TEXT NOT NULL, place TEXT NOT NULL, after TEXT NOT NULL,
      incomplete INTEGER NOT NULL, attempt INTEGER NOT NULL, due INTEGER
    ) WITHOUT ROWID`,
    'CREATE INDEX owners_due ON owners (due) WHERE due IS NOT NULL',
    // Deletions here that other collections have still to be told of; place '' is what remains to be done here.
    `CREATE TABLE deletions (
      uid TEXT NOT NULL, place TEXT NOT NULL, key TEXT NOT NULL, phase TEXT NOT NULL, attempt INTEGER NOT NULL, due INTEGER,
      PRIMARY KEY (uid, place)
    ) WITHOUT ROWID`,
    'CREATE INDEX deletions_due ON deletions (due) WHERE due IS NOT NULL',
    // Places that hold dependents of a collection of ours, and collections elsewhere that know that we hold some of theirs.
    'CREATE TABLE dependent_places (prefix TEXT NOT NULL, place TEXT NOT NULL, PRIMARY KEY (prefix, place)) WITHOUT ROWID',
    'CREATE TABLE introductions (prefix TEXT PRIMARY KEY) WITHOUT ROWID',
  ],
  [
    // Labels beside the key: a selection reads them alone.
    `ALTER TABLE current ADD COLUMN labels TEXT NOT NULL DEFAULT ''`,
    'UPDATE current SET labels = (SELECT l.labels FROM log l WHERE l.rv = current.rv)',
    // What a key was at an older version is found from the next milestone on, and not from its newest version: see statements.ts.
    `CREATE INDEX log_milestones ON log (key, rv) WHERE ${isMilestone}`,
    'CREATE INDEX log_deletions ON log (key, rv) WHERE type = 2',
  ],
]

/** Brings the database to the newest schema. Call it within a transaction. Throws where the schema is newer than this code. */
export function migrate(sql: SqlStorage): void {
  execute(sql, CREATE_META)
  const version = Number(selectMeta(sql, 'schema') ?? 0)
  if (version > migrations.length) throw new Error(`schema version ${version} is newer than ${migrations.length}`)
  for (const statements of migrations.slice(version)) {
    for (const statement of statements) execute(sql, statement)
  }
  if (version < migrations.length) upsertMeta(sql, 'schema', String(migrations.length))
}
