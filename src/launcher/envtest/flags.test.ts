import { describe, expect, test } from 'vitest'
import { flagTypes, lastOf, readFlags } from './flags.ts'
import { kubeApiserverFlags } from './kube-apiserver-flags.ts'

const types = flagTypes(kubeApiserverFlags)
const read = (...args: string[]) => readFlags(args, types, 'kube-apiserver')

describe('flags as kube-apiserver 1.36 reads them', () => {
  test('values behind a space or an equals sign, switches, repetitions, underscores', () => {
    const values = read('--secure-port', '1', '--secure_port=2', '--profiling', '--allow-privileged=false', '-v=4', '-v', '5')
    expect(lastOf(values, 'secure-port')).toBe('2')
    expect(values.get('secure-port')).toEqual(['1', '2'])
    expect(values.get('profiling')).toEqual(['true'])
    expect(values.get('allow-privileged')).toEqual(['false'])
    expect(values.get('v')).toEqual(['4', '5'])
  })

  // Recorded from kube-apiserver 1.36.3.
  test.each([
    [['--foo'], 'unknown flag: --foo'],
    [['--secure-port'], 'flag needs an argument: --secure-port'],
    [['--secure-port=x'], 'invalid argument "x" for "--secure-port" flag: strconv.ParseInt: parsing "x": invalid syntax'],
    [['foo'], '"kube-apiserver" does not take any arguments, got ["foo"]'],
    [['--profiling', 'maybe'], '"kube-apiserver" does not take any arguments, got ["maybe"]'],
    [
      ['--profiling=maybe'],
      'invalid argument "maybe" for "--profiling" flag: strconv.ParseBool: parsing "maybe": invalid syntax',
    ],
    [['--bind-address=foo'], 'invalid argument "foo" for "--bind-address" flag: failed to parse IP: "foo"'],
    [['--goaway-chance=x'], 'invalid argument "x" for "--goaway-chance" flag: strconv.ParseFloat: parsing "x": invalid syntax'],
    [['--v=x'], 'invalid argument "x" for "-v, --v" flag: strconv.ParseUint: parsing "x": invalid syntax'],
    [['-x'], "unknown shorthand flag: 'x' in -x"],
    [['-v'], "flag needs an argument: 'v' in -v"],
    [['---x'], 'bad flag syntax: ---x'],
    [['--=x'], 'bad flag syntax: --=x'],
  ])('%j: %s', (args, message) => {
    expect(() => read(...args)).toThrow(message)
  })
})
