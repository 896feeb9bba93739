/** All SQL of the index of owners: who refers to whom, what is known of owners, and who has to be told of deletions. */

/** What is known of an owner. */
export type OwnerState =
  /** Nothing yet: its collection is to be asked. */
  | 'unknown'
  /** It exists; its collection will tell when it goes. */
  | 'solid'
  | 'gone'
  /** It waits until the dependents that block its deletion are gone. */
  | 'foreground'
  /** It waits until no dependent refers to it. */
  | 'orphan'
  /** It can be no owner: of a kind with namespaces, named by an object without one. */
  | 'invalid'

/** An owner about whose dependents something is to be done. */
export interface DueOwner {
  readonly owner: string
  readonly state: OwnerState
  /** Who told of the owner's deletion and waits for an answer; '' for nobody. */
  readonly place: string
  /** Dependents up to this key have been looked at. */
  readonly after: string
  /** The look has left something out, and is to be begun anew. */
  readonly incomplete: boolean
  readonly attempt: number
}

/** A deletion that a place has to be told of. */
export interface DueDeletion {
  readonly uid: string
  readonly place: string
  readonly key: string
  readonly phase: DeletionPhase
  readonly attempt: number
}

/** How far an owner's deletion is. */
export type DeletionPhase = 'gone' | 'foreground' | 'orphan'

interface TextRange {
  readonly from: string
  readonly to: string
}

const rows = <Row extends Record<string, SqlStorageValue>>(cursor: SqlStorageCursor<Row>): Row[] => cursor.toArray()

const INSERT_DEPENDENT = 'INSERT OR REPLACE INTO dependents (owner, key, blocking) VALUES (?1, ?2, ?3)'
// A solid owner needs no look at a new dependent; any other does: the look that is under way may have passed its key.
const NOTICE_OWNER = `
  INSERT INTO owners (owner, state, place, after, incomplete, attempt, due) VALUES (?1, 'unknown', '', '', 0, 0, ?2)
  ON CONFLICT (owner) DO UPDATE SET incomplete = 1, due = excluded.due WHERE state IN ('gone', 'foreground', 'orphan')`

/** Notes that the object of a key names the owner. @returns whether something is to be done because of it */
export function insertDependent(sql: SqlStorage, owner: string, key: string, blocking: boolean, now: number): boolean {
  sql.exec(INSERT_DEPENDENT, owner, key, blocking ? 1 : 0)
  return sql.exec(NOTICE_OWNER, owner, now).rowsWritten > 0
}

/** Behind all keys: nothing is left to be looked at. */
const afterAll = '\u{10ffff}'

const WAKE_OWNERS = `
  UPDATE owners SET due = ?3, after = CASE WHEN due IS NULL THEN ?4 ELSE after END WHERE owner >= ?1 AND owner < ?2 AND state IN ('gone', 'foreground', 'orphan')
    AND (due IS NULL OR due > ?3)`

/** Has owners looked at again whose dependents have become fewer, but not the dependents that are left. @returns whether there are any */
export function wakeOwners(sql: SqlStorage, range: TextRange, now: number): boolean {
  return sql.exec(WAKE_OWNERS, range.from, range.to, now, afterAll).rowsWritten > 0
}

/** Notes that the object of a key does not name the owner any more. */
export function deleteDependent(sql: SqlStorage, owner: string, key: string): void {
  sql.exec('DELETE FROM dependents WHERE owner = ?1 AND key = ?2', owner, key)
}

const DUE_OWNERS = `
  SELECT owner, state, place, after, incomplete, attempt FROM owners INDEXED BY owners_due
  WHERE due <= ?1 AND (state = 'unknown') = ?2 ORDER BY due LIMIT ?3`

/** The owners that are to be asked for (`unknown`), or whose dependents are to be looked at. */
export function selectDueOwners(sql: SqlStorage, now: number, which: 'unknown' | 'known', limit: number): DueOwner[] {
  type Row = { owner: string; state: string; place: string; after: string; incomplete: number; attempt: number }
  const found = rows<Row>(sql.exec(DUE_OWNERS, now, which === 'unknown' ? 1 : 0, limit))
  return found.map((row) => ({ ...row, incomplete: row.incomplete === 1, state: row.state as OwnerState }))
}

/** What is known of an owner; undefined where no object names it. */
export function selectOwnerState(sql: SqlStorage, owner: string): OwnerState | undefined {
  const row = rows<{ state: string }>(sql.exec('SELECT state FROM owners WHERE owner = ?1', owner))[0]
  return row?.state as OwnerState | undefined
}

const RESOLVE_OWNER = `UPDATE owners SET state = ?2, place = ?3, after = '', incomplete = 0, attempt = 0, due = ?4 WHERE owner = ?1 AND state = 'unknown'`

/** Sets what an owner's collection answered, unless something later was told meanwhile. */
export function resolveOwner(sql: SqlStorage, owner: string, state: OwnerState, place: string, due: number | null): void {
  sql.exec(RESOLVE_OWNER, owner, state, place, due)
}

// What is gone stays gone, under whatever name; an owner that is none is only of account for those who orphan by uid.
const TELL_OWNERS = `
  UPDATE owners SET state = ?3, place = ?4, after = '', incomplete = 0, attempt = 0, due = ?5
  WHERE owner >= ?1 AND owner < ?2 AND state != 'gone' AND (state != 'invalid' OR ?3 = 'orphan')`

/** Sets what an owner's collection tells of its deletion. @returns how many names of it are known here */
export function tellOwners(sql: SqlStorage, range: TextRange, state: DeletionPhase, place: string, now: number): number {
  return sql.exec(TELL_OWNERS, range.from, range.to, state, place, now).rowsWritten
}

const ADVANCE_OWNER = `
  UPDATE owners SET after = ?3, attempt = ?4, incomplete = max(incomplete, ?5), due = ?6 WHERE owner = ?1 AND state = ?2`

/** Sets where the look at an owner's dependents goes on, and when. */
export function advanceOwner(sql: SqlStorage, { owner, state, after, attempt, incomplete }: DueOwner, due: number): void {
  sql.exec(ADVANCE_OWNER, owner, state, after, attempt, incomplete ? 1 : 0, due)
}

/** Begins a look at an owner's dependents. */
export function beginOwner(sql: SqlStorage, { owner }: DueOwner): void {
  sql.exec('UPDATE owners SET incomplete = 0 WHERE owner = ?1', owner)
}

const REST_OWNER = `
  UPDATE owners SET after = '', attempt = 0, due = NULL WHERE owner = ?1 AND state = ?2 AND incomplete = 0`

/** Has an owner rest until its dependents change, unless they have changed since the look began. */
export function restOwner(sql: SqlStorage, { owner, state }: DueOwner): void {
  sql.exec(REST_OWNER, owner, state)
  sql.exec('DELETE FROM owners WHERE owner = ?1 AND NOT EXISTS (SELECT 1 FROM dependents WHERE owner = ?1)', owner)
}

/** The next keys of objects that name the owner. */
export function selectDependents(sql: SqlStorage, owner: string, after: string, limit: number): string[] {
  const statement = 'SELECT key FROM dependents WHERE owner = ?1 AND key > ?2 ORDER BY key LIMIT ?3'
  return rows<{ key: string }>(sql.exec(statement, owner, after, limit)).map((row) => row.key)
}

/** Whether an object names an owner of the range, and whether one of them blocks its deletion. */
export function selectDependence(sql: SqlStorage, range: TextRange): { readonly some: boolean; readonly blocking: boolean } {
  const statement = 'SELECT max(blocking) AS blocking FROM dependents WHERE owner >= ?1 AND owner < ?2'
  const blocking = rows<{ blocking: number | null }>(sql.exec(statement, range.from, range.to))[0]?.blocking ?? null
  return { some: blocking !== null, blocking: blocking === 1 }
}

const SELECT_MARKED = `
  SELECT 1 AS one FROM dependents d CROSS JOIN current c ON c.key = d.key CROSS JOIN log l ON l.rv = c.rv
  WHERE d.owner >= ?1 AND d.owner < ?2 AND instr(l.value, '"deletionTimestamp":') > 0 AND instr(l.value, ?3) > 0 LIMIT 1`

/** Whether a dependent is being deleted with a text in its value. */
export function hasDeletedDependent(sql: SqlStorage, range: TextRange, text: string): boolean {
  return rows(sql.exec(SELECT_MARKED, range.from, range.to, text)).length > 0
}

const INSERT_DELETION = 'INSERT OR REPLACE INTO deletions (uid, place, key, phase, attempt, due) VALUES (?1, ?2, ?3, ?4, 0, ?5)'

/** Notes that a place has to be told of a deletion. */
export function insertDeletion(sql: SqlStorage, deletion: Omit<DueDeletion, 'attempt'>, due: number | null): void {
  sql.exec(INSERT_DELETION, deletion.uid, deletion.place, deletion.key, deletion.phase, due)
}

/** The deletions that somebody has to be told of now. */
export function selectDueDeletions(sql: SqlStorage, now: number, limit: number): DueDeletion[] {
  type Row = { uid: string; place: string; key: string; phase: string; attempt: number }
  const statement = 'SELECT uid, place, key, phase, attempt FROM deletions WHERE due <= ?1 ORDER BY due LIMIT ?2'
  return rows<Row>(sql.exec(statement, now, limit)).map((row) => ({ ...row, phase: row.phase as DeletionPhase }))
}

const POSTPONE_DELETION = 'UPDATE deletions SET attempt = ?4, due = ?5 WHERE uid = ?1 AND place = ?2 AND phase = ?3'

/** Sets when a place is told (again). */
export function postponeDeletion(sql: SqlStorage, deletion: Omit<DueDeletion, 'key'>, due: number | null): void {
  sql.exec(POSTPONE_DELETION, deletion.uid, deletion.place, deletion.phase, deletion.attempt + 1, due)
}

/** Forgets that a place has to be told. */
export function deleteDeletion(sql: SqlStorage, { uid, place, phase }: Pick<DueDeletion, 'uid' | 'place' | 'phase'>): void {
  sql.exec('DELETE FROM deletions WHERE uid = ?1 AND place = ?2 AND phase = ?3', uid, place, phase)
}

/** Forgets all who had to be told of an owner. */
export function deleteDeletions(sql: SqlStorage, uid: string): void {
  sql.exec('DELETE FROM deletions WHERE uid = ?1', uid)
}

/** Whether other places have not finished with an owner's deletion. */
export function hasDeletionsElsewhere(sql: SqlStorage, uid: string): boolean {
  return rows(sql.exec("SELECT 1 AS one FROM deletions WHERE uid = ?1 AND place != '' LIMIT 1", uid)).length > 0
}

/** When the next thing is to be done. */
export function selectNextDue(sql: SqlStorage): number | undefined {
  const statement = `SELECT min(due) AS due FROM (
    SELECT min(due) AS due FROM owners WHERE due IS NOT NULL UNION ALL SELECT min(due) FROM deletions WHERE due IS NOT NULL)`
  return rows<{ due: number | null }>(sql.exec(statement))[0]?.due ?? undefined
}

/** The places that hold dependents of collections of ours. */
export function selectDependentPlaces(sql: SqlStorage): { readonly prefix: string; readonly place: string }[] {
  return rows<{ prefix: string; place: string }>(sql.exec('SELECT prefix, place FROM dependent_places'))
}

/** Remembers a place that holds dependents of a collection of ours. */
export function insertDependentPlace(sql: SqlStorage, prefix: string, place: string): void {
  sql.exec('INSERT OR IGNORE INTO dependent_places (prefix, place) VALUES (?1, ?2)', prefix, place)
}

/** The collections that know that we hold dependents of theirs. */
export function selectIntroductions(sql: SqlStorage): string[] {
  return rows<{ prefix: string }>(sql.exec('SELECT prefix FROM introductions')).map((row) => row.prefix)
}

/** Remembers a collection that knows that we hold dependents of its objects. */
export function insertIntroduction(sql: SqlStorage, prefix: string): void {
  sql.exec('INSERT OR IGNORE INTO introductions (prefix) VALUES (?1)', prefix)
}

const SELECT_NAMED = 'SELECT key FROM current WHERE key > ?1 AND key < ?2 AND substr(key, -length(?3)) = ?3 LIMIT ?4'

/** Keys of a range that end in a text: objects of one name in any namespace. */
export function selectKeysEndingIn(sql: SqlStorage, range: TextRange, end: string, limit: number): string[] {
  return rows<{ key: string }>(sql.exec(SELECT_NAMED, range.from, range.to, end, limit)).map((row) => row.key)
}
