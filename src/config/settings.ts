/**
 * The table of all settings of a deployment and all options of the local server. Types, readers, `--help`, completions, the manual
 * page, /flagz, the options of `edgeplane deploy` and the variables of the local server follow from it; docs/configuration.md and
 * wrangler.toml are compared with it by a test. A new setting is a row in the file of its subject, and whatever uses it.
 */
import { accessSettings } from './settings/access.ts'
import { admissionSettings } from './settings/admission.ts'
import { apiSettings } from './settings/api.ts'
import { auditSettings } from './settings/audit.ts'
import { auditWebhookSettings } from './settings/audit-webhook.ts'
import { browserSettings } from './settings/browsers.ts'
import { clusterSettings } from './settings/clusters.ts'
import { limitSettings } from './settings/limits.ts'
import { operationsSettings } from './settings/operations.ts'
import { peerSettings } from './settings/peers.ts'
import { serverSettings } from './settings/server.ts'
import type { LocalOption, Reader, Setting } from './settings/setting.ts'
import { joinSettings } from './split-settings.ts'

/** All rows, in the order of `--help`. */
export const settingTable = {
  ...serverSettings,
  ...peerSettings,
  ...auditSettings,
  ...browserSettings,
  ...clusterSettings,
  ...apiSettings,
  ...limitSettings,
  ...accessSettings,
  ...admissionSettings,
  ...operationsSettings,
  ...auditWebhookSettings,
}

type Table = typeof settingTable

/** The keys of the rows that are variables of the Worker. */
export type SettingKey = { [Key in keyof Table]: Table[Key] extends { variable: string } ? Key : never }[keyof Table]

/** The keys of the rows whose option names a file with the text. */
export type FileKey = { [Key in keyof Table]: Table[Key] extends { file: true } ? Key : never }[keyof Table]

/** The texts of settings by their variables, as wrangler.toml or the launcher gives them. */
export type SettingTexts = { readonly [Key in SettingKey as Table[Key]['variable']]?: string }

type ValueOf<Row> = Row extends { read: (text: string) => infer Value } ? Value : string

/** The values of the settings that are used in a place. */
type ValuesAt<Place extends Reader> = {
  readonly [Key in SettingKey as Place extends Table[Key]['at'][number] ? Key : never]: ValueOf<Table[Key]>
}

/** The values of settings. */
export type SettingValues = { readonly [Key in SettingKey]: ValueOf<Table[Key]> }

/** The values that the Worker uses. */
export type WorkerSettingValues = ValuesAt<'worker'>

/** The values that Durable Objects use. */
export type ObjectSettingValues = ValuesAt<'object'>

/** All rows with their keys. */
export const allRows: readonly (readonly [key: keyof Table, row: Setting | LocalOption])[] = Object.entries(settingTable) as [
  keyof Table,
  Setting | LocalOption,
][]

/** The rows of variables. */
export const settingRows: readonly (readonly [key: SettingKey, row: Setting])[] = allRows.flatMap(([key, row]) =>
  row.variable === undefined ? [] : [[key as SettingKey, row] as const],
)

/** The variables that may be split: those of long documents, and secrets, whose length is not foreseen. */
export const splittableVariables: readonly string[] = settingRows
  .filter(([, { long, secret }]) => long ?? secret ?? false)
  .map(([, { variable }]) => variable)

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function valueIn(texts: Readonly<Record<string, unknown>>, { variable, default: otherwise = '', read }: Setting): unknown {
  const given = texts[variable] ?? ''
  // Variables of wrangler.toml may be numbers, booleans and objects.
  const text = (typeof given === 'string' ? given : JSON.stringify(given)) || otherwise
  try {
    return read === undefined ? text : read(text)
  } catch (error) {
    throw new Error(`${variable}: ${messageOf(error)}`)
  }
}

const valuesOf = new WeakMap<object, SettingValues>()

/**
 * Returns the values of all settings. They are read once for the same environment.
 * @throws Error that names an invalid setting
 */
export function settingValues(environment: SettingTexts): SettingValues {
  const former = valuesOf.get(environment)
  if (former !== undefined) return former
  const texts = joinSettings(environment, splittableVariables) as Readonly<Record<string, unknown>>
  const values = Object.fromEntries(settingRows.map(([key, row]) => [key, valueIn(texts, row)])) as SettingValues
  valuesOf.set(environment, values)
  return values
}

/** Returns the values that Durable Objects use. @throws Error that names an invalid setting */
export const objectSettings = (environment: SettingTexts): ObjectSettingValues => settingValues(environment)

/** Returns the values of all options, sorted by name, as /flagz shows them. Files, which may hold secrets, are not among them. */
export function flagValues(settings: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const values = settingRows.flatMap(([, row]) => {
    const { variable, flag, default: otherwise = '', file, only, deprecated } = row
    if (flag === undefined || file === true || only === 'deploy') return []
    const given = settings[variable]
    const value = typeof given === 'string' && given !== '' ? given : otherwise
    return [flag, ...(deprecated === undefined ? [] : [deprecated.flag])].map((name): [string, string] => [name, value])
  })
  return Object.fromEntries(values.sort(([a], [b]) => (a < b ? -1 : 1)))
}
