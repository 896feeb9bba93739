/** Scripts of operations on one object, for tests of field ownership. */
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import type { ManagedFieldsEntry } from '../meta/object-meta.ts'
import type { Type } from '../schema/type.ts'
import type { Apply } from './apply.ts'
import { applyConfiguration } from './apply.ts'
import type { Write } from './managers.ts'
import { updateManagedFields } from './managers.ts'
import type { PathSet } from './path-set.ts'
import { paths, storedPathSet } from './path-set.ts'
import { widget } from './types.fixture.ts'

const STATUS = paths([['status']])

/** Returns the object as after decoding: without nulls and empty lists. */
function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value as JsonObject).filter(
    ([, below]) => below !== null && !(Array.isArray(below) && below.length === 0),
  )
  return Object.fromEntries(entries.map(([key, below]) => [key, withoutNulls(below)]))
}

/** An object with a sequence of applies and updates, one per second. */
export class OwnershipScript {
  live: JsonObject | undefined
  managers: readonly ManagedFieldsEntry[] = []
  private seconds = 0
  private readonly type: Type

  constructor(type: Type = widget) {
    this.type = type
  }

  /** Applies a configuration. Throws the conflict, if any. @returns the field set of each manager */
  apply(manager: string, configuration: JsonObject, differing: Partial<Apply> = {}): Record<string, PathSet> {
    const { object, managers } = applyConfiguration({
      ...this.common(),
      manager,
      live: this.live,
      configuration: { apiVersion: 'v1', kind: 'Widget', ...configuration },
      called: '/w; /v1, Kind=Widget',
      calledLive: '/w; /v1, Kind=Widget',
      force: false,
      ...differing,
    })
    return this.keep(object, managers)
  }

  force(manager: string, configuration: JsonObject): Record<string, PathSet> {
    return this.apply(manager, configuration, { force: true })
  }

  update(manager: string, object: JsonObject, differing: Partial<Write> = {}): Record<string, PathSet> {
    const whole = { apiVersion: 'v1', kind: 'Widget', ...object }
    return this.keep(whole, updateManagedFields({ ...this.common(), manager, old: this.live, new: whole, ...differing }))
  }

  /** Returns the object without the fields that every object has. */
  object(): JsonObject {
    const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = this.live ?? {}
    const { uid: _uid, ...others } = (metadata ?? {}) as JsonObject
    return { ...rest, ...(Object.keys(others).length > 0 && { metadata: others }) }
  }

  owners(): Record<string, PathSet> {
    const named = ({ manager, operation, fieldsV1 }: ManagedFieldsEntry) =>
      [operation === 'Apply' ? `${manager}` : `${manager} (update)`, storedPathSet(fieldsV1)] as const
    return Object.fromEntries(this.managers.map(named))
  }

  /** Returns the second of each entry's time. */
  times(): Record<string, string | undefined> {
    return Object.fromEntries(this.managers.map(({ manager = '', time }) => [manager, time?.slice(17, 19)]))
  }

  private common() {
    const time = `2026-01-01T00:00:${String(++this.seconds).padStart(2, '0')}Z`
    return { type: this.type, apiVersion: 'v1', managers: this.managers, subresource: '', time, resetFields: STATUS }
  }

  private keep(object: JsonObject, managers: readonly ManagedFieldsEntry[]): Record<string, PathSet> {
    this.managers = managers
    const whole = withoutNulls(object) as JsonObject
    this.live = { ...whole, metadata: { ...(whole.metadata as JsonObject), uid: 'u' } }
    return this.owners()
  }
}
