import { describe, expect, test } from 'vitest'
import { choice, command, flag, list, number, required, text, UsageError } from './command.ts'

/** Runs a command with many kinds of options. Returns what it got. */
async function valuesOf(...args: string[]): Promise<unknown> {
  let values: unknown
  const declared = command({
    operands: 'DIR',
    options: {
      count: number('N', 'a number', 7),
      referenceToken: text('T', 'a text'),
      names: list('NAME,…', 'texts', ['a']),
      form: choice(['json', 'yaml'], 'one of two', 'json'),
      verbose: flag('a switch'),
    },
    run: (given, operands) => {
      values = { ...given, operands }
    },
  })
  await declared.run(args)
  return values
}

describe('The options of a command', () => {
  test('have the values of their declarations if they are absent', async () => {
    const absent = { count: 7, referenceToken: undefined, names: ['a'], form: 'json', verbose: false, operands: [] }
    expect(await valuesOf()).toEqual(absent)
  })

  test('are read by their types, with operands', async () => {
    const args = ['dir', '--count', '3', '--reference-token', 't', '--names', 'b,c', '--form', 'yaml', '--verbose']
    const values = { count: 3, referenceToken: 't', names: ['b', 'c'], form: 'yaml', verbose: true, operands: ['dir'] }
    expect(await valuesOf(...args)).toEqual(values)
  })

  test.each([
    [['--count', 'x'], '--count is a number, not x'],
    [['--form', 'xml'], '--form is one of json, yaml, not xml'],
    [['--unknown'], "Unknown option '--unknown'"],
  ])('%j is a usage error', async (args, message) => {
    await expect(valuesOf(...args)).rejects.toThrow(UsageError)
    await expect(valuesOf(...args)).rejects.toThrow(message)
  })

  test('may be required', async () => {
    const declared = command({ options: { reference: required(text('URL', 'a server')) }, run: () => undefined })
    await expect(declared.run([])).rejects.toThrow('--reference is required')
    await declared.run(['--reference', 'x'])
  })

  test('are in the help, with their values', () => {
    const declared = command({ options: { maxPods: number('N', 'the Pods', 7) }, run: () => undefined })
    expect(declared.help('record pods')).toBe('npm run lab record pods -- [OPTIONS]\n\n  --max-pods N  the Pods (7)\n')
  })
})

test('operands of a command that takes none are a usage error', async () => {
  await expect(command({ run: () => undefined }).run(['dir'])).rejects.toThrow(UsageError)
})
