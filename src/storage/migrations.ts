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
