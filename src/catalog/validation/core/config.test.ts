import { expect, test } from 'vitest'
import { validateSecret } from './config.ts'

const complaintOf = (text: string): string | undefined =>
  validateSecret({
    metadata: { name: 'pull' },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': btoa(text) },
  })[0]?.text.replace('Invalid value: "<secret contents redacted>": ', '')

test.each([
  ['{}', undefined],
  ['null', undefined],
  ['x', "invalid character 'x' looking for beginning of value"],
  ['', 'unexpected end of JSON input'],
  ['{}1', "invalid character '1' after top-level value"],
  ['[]', 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
  ['1', 'json: cannot unmarshal number into Go value of type map[string]interface {}'],
  ['true', 'json: cannot unmarshal bool into Go value of type map[string]interface {}'],
])('.dockerconfigjson of a Secret must be a JSON object: %j', (text, complaint) => {
  expect(complaintOf(text)).toBe(complaint)
})
