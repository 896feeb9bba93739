/** The options of `edgeplane start` and `edgeplane deploy`, from the table of settings. */

import type { LocalOption, Setting } from '../config/settings/setting.ts'
import { allRows } from '../config/settings.ts'
import type { Option } from './command-line.ts'

/** Returns the options of a row of the table: none for a variable without one, two for one with a deprecated name. */
function optionsOf({ flag, value, choices, many, help = [], deprecated, ...row }: Setting | LocalOption): readonly Option[] {
  if (flag === undefined) return []
  const byDefault = ('local' in row ? row.local : undefined) ?? row.default ?? ''
  const option = { ...(value !== undefined && { value }), ...(choices && { choices }), ...(many && { many }) }
  const phrases = help.map((phrase) => phrase.replace('{default}', byDefault))
  const former = deprecated && { ...option, name: deprecated.flag, help: [], deprecated: deprecated.message }
  return [{ ...option, name: flag, help: phrases }, ...(former === undefined ? [] : [former])]
}

/** The options of `edgeplane start`, in the order of its help. */
export const startOptions: readonly Option[] = allRows.flatMap(([, row]) => (row.only === 'deploy' ? [] : optionsOf(row)))

/** The options of `edgeplane deploy` that become settings: its own, and those that it shares with `edgeplane start`. */
export const deploySettingOptions: readonly Option[] = [
  ...allRows.flatMap(([, row]) => (row.only === 'deploy' ? optionsOf(row) : [])),
  {
    name: 'var',
    value: 'NAME=VALUE',
    many: true,
    help: ['any other setting of docs/configuration.md; an empty value removes it'],
  },
  ...allRows.flatMap(([, row]) => (row.only === undefined ? optionsOf(row) : [])),
]
