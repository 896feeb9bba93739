import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

interface Options {
  /** Returns texts by package, type and field. */
  optionTexts(of: { readonly folder: string }): Readonly<Record<string, Record<string, Record<string, string>>>>
}
const { optionTexts }: Options = await import(join(import.meta.dirname, 'options.mjs'))

/** Makes a package whose declarations have one parameter of the operation, with this description. */
function described(operation: string, parameter: string, text: string): { readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'edgeplane-options-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'dist/gen/types/ObjectParamAPI.d.ts')
  mkdirSync(dirname(file), { recursive: true })
  const declaration = `    /**\n     * ${text}\n     * Defaults to: undefined\n     * @type string\n     */\n    ${parameter}?: string;`
  writeFileSync(file, `export interface CoreV1Api${operation}Request {\n${declaration}\n}\n`)
  return { folder }
}

const ofList = (text: string) => optionTexts(described('ListNamespacedPod', 'limit', text))['meta/v1']?.ListOptions?.limit

test('escaped characters in a description are restored', () => {
  expect(ofList("&quot;a&quot; &lt;b&gt; &#39;c&#39; &#x60;d&#x60; &amp;lt; \\'e\\'")).toBe(`"a" <b> 'c' \`d\` &lt; 'e'`)
})

test.each([
  ['One.  Two', 'One.\n\nTwo'],
  ['such as:  - a:   one  - b', 'such as:\n\n- a:\n  one  - b'],
  ['"X" event  is sent', '"X" event  is sent'],
  ['a:     one   two', 'a:\n    one\n  two'],
  ['`a` is so. - `b` is not', '`a` is so.\n- `b` is not'],
])('joined lines of a description are separated again: %s', (text, restored) => {
  expect(ofList(text)).toBe(restored)
})

test('a description of one line is unchanged', () => {
  const texts = optionTexts(described('CreateNamespacedPod', 'fieldManager', 'One.  Two'))
  expect(texts['meta/v1']?.CreateOptions).toEqual({ fieldManager: 'One.  Two' })
})

test('an operation that does not exist has no descriptions', () => {
  expect(optionTexts(described('Other', 'limit', 'x'))['core/v1']?.PodLogOptions).toEqual({})
})
