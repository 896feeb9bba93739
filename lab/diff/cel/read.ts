/** Finds CEL expressions in JSON files. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GeneratedRule } from './generate.ts'

/** The names of fields with expressions. */
const fields: ReadonlySet<string> = new Set(['rule', 'messageExpression', 'expression', 'valueExpression'])

/** Returns the unique expressions in the JSON files of a folder. */
export function rulesWithin(folder: string): GeneratedRule[] {
  const found = new Set<string>()
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    JSON.parse(readFileSync(join(folder, file), 'utf8'), (key, value: unknown) => {
      if (fields.has(key) && typeof value === 'string' && value.trim() !== '') found.add(value)
      return value
    })
  }
  return [...found].flatMap((rule) => [{ rule }, { rule: 'false', messageExpression: rule }])
}
