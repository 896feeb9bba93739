/** All SQL of the owner index for garbage collection: the references, the known state of owners, and the deletions to notify. */

/** The known state of an owner. */
export type OwnerState =
  /** Not known yet: its collection has to be queried. */
  | 'unknown'
  /** It exists; its collection will notify us of its deletion. */
  | 'solid'
  | 'gone'
  /** Its deletion waits for the dependents with blockOwnerDeletion. */
  | 'foreground'
  /** Its deletion waits until no dependent refers to it. */
  | 'orphan'
  /** It cannot be an owner: a namespaced kind that a cluster-scoped object refers to. */
  | 'invalid'

/** An owner whose state or whose dependents have to be processed now. */
export interface DueOwner {
  readonly owner: string
  readonly state: OwnerState
  /** The place that notified us of the owner's deletion and waits for an answer; '' for none. */
  readonly place: string
  /** Dependents up to and including this key are processed. */
  readonly after: string
  /** The current pass has missed dependents and has to be repeated. */
  readonly incomplete: boolean
  readonly attempt: number
}

/** A deletion of which a place has to be notified. */
export interface DueDeletion {
  readonly uid: string
  readonly place: string
  readonly key: string
  readonly phase: DeletionPhase
  readonly attempt: number
}

/** The phase of an owner's deletion. */
export type DeletionPhase = 'gone' | 'foreground' | 'orphan'

interface TextRange {
  readonly from: string
  readonly to: string
}

const rows = <Row extends Record<string, SqlStorageValue>>(cursor: SqlStorageCursor<Row>): Row[] => cursor.toArray()

const INSERT_DEPENDENT = 'INSERT OR REPLACE INTO dependents (owner, key, blocking) VALUES (?1, ?2, ?3)'
// A solid owner needs no pass over a new dependent. Any other does, because the current pass may be beyond its key.
const SCHEDULE_OWNER = `
  INSERT INTO owners (owner, state, place, after, incomplete, attempt, due) VALUES (?1, 'unknown', '', '', 0, 0, ?2)
  ON CONFLICT (owner) DO UPDATE SET incomplete = 1, due = excluded.due WHERE state IN ('gone', 'foreground', 'orphan')`

/** Records that the object of a key refers to the owner. @returns whether the owner has to be processed because of it */
export function insertDependent(sql: SqlStorage, owner: string, key: string, blocking: boolean, now: number): boolean {
  sql.exec(INSERT_DEPENDENT, owner, key, blocking ? 1 : 0)
  return sql.exec(SCHEDULE_OWNER, owner, now).rowsWritten > 0
}

/** A text after all keys: no dependent is left to process. */
const afterAll = '\u{10ffff}'

const WAKE_OWNERS = `
  UPDATE owners SET due = ?3, after = CASE WHEN due IS NULL THEN ?4 ELSE after END WHERE owner >= ?1 AND owner < ?2 AND state IN ('gone', 'foreground', 'orphan')
    AND (due IS NULL OR due > ?3)`

/**
 * Schedules owners that have lost dependents, without another pass over the dependents that remain. @returns whether there are
 * any
 */
export function scheduleOwners(sql: SqlStorage, range: TextRange, now: number): boolean {
  return sql.exec(WAKE_OWNERS, range.from, range.to, now, afterAll).rowsWritten > 0
}

/** Records that the object of a key no longer refers to the owner. */
export function deleteDependent(sql: SqlStorage, owner: string, key: string): void {
  sql.exec('DELETE FROM dependents WHERE owner = ?1 AND key = ?2', owner, key)
}

const DUE_OWNERS = `
  SELECT owner, state, place, after, incomplete, attempt FROM owners INDEXED BY owners_due
  WHERE due <= ?1 AND (state = 'unknown') = ?2 ORDER BY due LIMIT ?3`

/** Returns the due owners: those to be queried (`unknown`), or those whose dependents have to be processed (`known`). */
export function selectDueOwners(sql: SqlStorage, now: number, which: 'unknown' | 'known', limit: number): DueOwner[] {
  type Row = { owner: string; state: string; place: string; after: string; incomplete: number; attempt: number }
  const found = rows<Row>(sql.exec(DUE_OWNERS, now, which === 'unknown' ? 1 : 0, limit))
  return found.map((row) => ({ ...row, incomplete: row.incomplete === 1, state: row.state as OwnerState }))
}

/** Returns the known state of an owner; undefined if no object refers to it. */
export function selectOwnerState(sql: SqlStorage, owner: string): OwnerState | undefined {
  const row = rows<{ state: string }>(sql.exec('SELECT state FROM owners WHERE owner = ?1', owner))[0]
  return row?.state as OwnerState | undefined
}

const RESOLVE_OWNER = `UPDATE owners SET state = ?2, place = ?3, after = '', incomplete = 0, attempt = 0, due = ?4 WHERE owner = ?1 AND state = 'unknown'`

/** Sets the state that the owner's collection answered, unless a newer notification has arrived meanwhile. */
export function resolveOwner(sql: SqlStorage, owner: string, state: OwnerState, place: string, due: number | null): void {
  sql.exec(RESOLVE_OWNER, owner, state, place, due)
}

// A deleted owner stays deleted under every reference. An invalid owner matters only for orphaning, which works by uid.
const NOTIFY_OWNERS = `
  UPDATE owners SET state = ?3, place = ?4, after = '', incomplete = 0, attempt = 0, due = ?5
  WHERE owner >= ?1 AND owner < ?2 AND state != 'gone' AND (state != 'invalid' OR ?3 = 'orphan')`

/** Sets the deletion phase that the owner's collection reported. @returns how many references with this uid are known here */
export function notifyOwners(sql: SqlStorage, range: TextRange, state: DeletionPhase, place: string, now: number): number {
  return sql.exec(NOTIFY_OWNERS, range.from, range.to, state, place, now).rowsWritten
}

const ADVANCE_OWNER = `
  UPDATE owners SET after = ?3, attempt = ?4, incomplete = max(incomplete, ?5), due = ?6 WHERE owner = ?1 AND state = ?2`

/** Sets the key after which the pass over an owner's dependents continues, and when. */
export function advanceOwner(sql: SqlStorage, { owner, state, after, attempt, incomplete }: DueOwner, due: number): void {
  sql.exec(ADVANCE_OWNER, owner, state, after, attempt, incomplete ? 1 : 0, due)
}

/** Makes all owners due whose state is not known. */
export function scheduleUnknownOwners(sql: SqlStorage, now: number): void {
  sql.exec("UPDATE owners SET due = ?1 WHERE state = 'unknown' AND due > ?1", now)
}

/** Begins a pass over an owner's dependents. */
export function beginPass(sql: SqlStorage, { owner }: DueOwner): void {
  sql.exec('UPDATE owners SET incomplete = 0 WHERE owner = ?1', owner)
}

const REST_OWNER = `
  UPDATE owners SET after = '', attempt = 0, due = NULL WHERE owner = ?1 AND state = ?2 AND incomplete = 0`

/** Leaves an owner alone until its dependents change, unless they have changed since the pass began. */
export function endPass(sql: SqlStorage, { owner, state }: DueOwner): void {
  sql.exec(REST_OWNER, owner, state)
  sql.exec('DELETE FROM owners WHERE owner = ?1 AND NOT EXISTS (SELECT 1 FROM dependents WHERE owner = ?1)', owner)
}

/** Returns the next keys of objects that refer to the owner. */
export function selectDependents(sql: SqlStorage, owner: string, after: string, limit: number): string[] {
  const statement = 'SELECT key FROM dependents WHERE owner = ?1 AND key > ?2 ORDER BY key LIMIT ?3'
  return rows<{ key: string }>(sql.exec(statement, owner, after, limit)).map((row) => row.key)
}

/** Whether any object refers to an owner of the range, and whether one of these references blocks its deletion. */
export function selectDependence(sql: SqlStorage, range: TextRange): { readonly some: boolean; readonly blocking: boolean } {
  const statement = 'SELECT max(blocking) AS blocking FROM dependents WHERE owner >= ?1 AND owner < ?2'
  const blocking = rows<{ blocking: number | null }>(sql.exec(statement, range.from, range.to))[0]?.blocking ?? null
  return { some: blocking !== null, blocking: blocking === 1 }
}

const SELECT_DELETED_DEPENDENT = `
  SELECT 1 AS one FROM dependents d CROSS JOIN current c ON c.key = d.key CROSS JOIN log l ON l.rv = c.rv
  WHERE d.owner >= ?1 AND d.owner < ?2 AND instr(l.value, '"deletionTimestamp":') > 0 AND instr(l.value, ?3) > 0 LIMIT 1`

/** Whether a dependent that is being deleted has the text in its value. */
export function hasDeletedDependent(sql: SqlStorage, range: TextRange, text: string): boolean {
  return rows(sql.exec(SELECT_DELETED_DEPENDENT, range.from, range.to, text)).length > 0
}

const INSERT_DELETION = 'INSERT OR REPLACE INTO deletions (uid, place, key, phase, attempt, due) VALUES (?1, ?2, ?3, ?4, 0, ?5)'

/** Records that a place has to be notified of a deletion. */
export function insertDeletion(sql: SqlStorage, deletion: Omit<DueDeletion, 'attempt'>, due: number | null): void {
  sql.exec(INSERT_DELETION, deletion.uid, deletion.place, deletion.key, deletion.phase, due)
}

/** Returns the deletions whose notifications are due. */
export function selectDueDeletions(sql: SqlStorage, now: number, limit: number): DueDeletion[] {
  type Row = { uid: string; place: string; key: string; phase: string; attempt: number }
  const statement = 'SELECT uid, place, key, phase, attempt FROM deletions WHERE due <= ?1 ORDER BY due LIMIT ?2'
  return rows<Row>(sql.exec(statement, now, limit)).map((row) => ({ ...row, phase: row.phase as DeletionPhase }))
}

const POSTPONE_DELETION = 'UPDATE deletions SET attempt = ?4, due = ?5 WHERE uid = ?1 AND place = ?2 AND phase = ?3'

/** Counts an attempt and sets when the place is notified next. */
export function postponeDeletion(sql: SqlStorage, deletion: Omit<DueDeletion, 'key'>, due: number | null): void {
  sql.exec(POSTPONE_DELETION, deletion.uid, deletion.place, deletion.phase, deletion.attempt + 1, due)
}

/** Removes one notification. */
export function deleteDeletion(sql: SqlStorage, { uid, place, phase }: Pick<DueDeletion, 'uid' | 'place' | 'phase'>): void {
  sql.exec('DELETE FROM deletions WHERE uid = ?1 AND place = ?2 AND phase = ?3', uid, place, phase)
}

/** Removes all notifications about an owner. */
export function deleteDeletions(sql: SqlStorage, uid: string): void {
  sql.exec('DELETE FROM deletions WHERE uid = ?1', uid)
}

/** Whether another place has not finished with an owner's deletion. */
export function hasDeletionsElsewhere(sql: SqlStorage, uid: string): boolean {
  return rows(sql.exec("SELECT 1 AS one FROM deletions WHERE uid = ?1 AND place != '' LIMIT 1", uid)).length > 0
}

/** Returns when the next work is due, in milliseconds since the epoch; undefined if there is no work. */
export function selectNextDue(sql: SqlStorage): number | undefined {
  const statement = `SELECT min(due) AS due FROM (
    SELECT min(due) AS due FROM owners WHERE due IS NOT NULL UNION ALL SELECT min(due) FROM deletions WHERE due IS NOT NULL)`
  return rows<{ due: number | null }>(sql.exec(statement))[0]?.due ?? undefined
}

/** Returns the places with dependents of collections that this place stores. */
export function selectDependentPlaces(sql: SqlStorage): { readonly prefix: string; readonly place: string }[] {
  return rows<{ prefix: string; place: string }>(sql.exec('SELECT prefix, place FROM dependent_places'))
}

/** Records a place with dependents of a collection that this place stores. */
export function insertDependentPlace(sql: SqlStorage, prefix: string, place: string): void {
  sql.exec('INSERT OR IGNORE INTO dependent_places (prefix, place) VALUES (?1, ?2)', prefix, place)
}

/** Returns the collections that know this place stores dependents of theirs. */
export function selectSubscriptions(sql: SqlStorage): string[] {
  return rows<{ prefix: string }>(sql.exec('SELECT prefix FROM introductions')).map((row) => row.prefix)
}

/** Records a collection that knows this place stores dependents of its objects. */
export function insertSubscription(sql: SqlStorage, prefix: string): void {
  sql.exec('INSERT OR IGNORE INTO introductions (prefix) VALUES (?1)', prefix)
}

const SELECT_NAMED = 'SELECT key FROM current WHERE key > ?1 AND key < ?2 AND substr(key, -length(?3)) = ?3 LIMIT ?4'

/** Returns keys of a range that end in a text: objects of one name in any namespace. */
export function selectKeysEndingIn(sql: SqlStorage, range: TextRange, end: string, limit: number): string[] {
  return rows<{ key: string }>(sql.exec(SELECT_NAMED, range.from, range.to, end, limit)).map((row) => row.key)
}
