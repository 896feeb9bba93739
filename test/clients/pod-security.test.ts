/**
 * The fixtures of k8s.io/pod-security-admission: Pods that a level allows or rejects in a version. Skipped without Go, or if the
 * module cannot be downloaded.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Pod } from '../../src/catalog/generated/types/core.v1.ts'
import { kindOf } from '../../src/catalog/scheme.ts'
import { parseVersion } from '../../src/clusters/pod-security.ts'
import { evaluatePod } from '../../src/registry/admission/pod-security/evaluator.ts'
import { readYaml } from '../../src/yaml/parse.ts'

/** Returns the folder of the fixtures; undefined if it cannot be had. */
function fixturesFolder(): string | undefined {
  const cwd = join(import.meta.dirname, '../../lab/record/pod-security/evaluate')
  try {
    const answer = execFileSync('go', ['mod', 'download', '-json', 'k8s.io/pod-security-admission'], { cwd, encoding: 'utf8' })
    return join((JSON.parse(answer) as { readonly Dir: string }).Dir, 'test/testdata')
  } catch (error) {
    console.info(`the fixtures of Pod Security are skipped: ${String(error)}`)
    return undefined
  }
}

const folder = fixturesFolder()

const kind = kindOf('', 'v1', 'pods')

/** Returns the Pods of a folder with their defaults. */
function podsIn(path: string): { readonly file: string; readonly pod: Pod }[] {
  return readdirSync(path).map((file) => {
    const { value } = readYaml(readFileSync(join(path, file), 'utf8'))
    return { file: `${path}/${file}`, pod: kind?.codec.decode(value, undefined, 'Ignore').object as unknown as Pod }
  })
}

describe.skipIf(folder === undefined)('the fixtures of pod-security-admission', () => {
  test.each(['baseline', 'restricted'] as const)('%s allows and rejects them in every version', (level) => {
    const versions = readdirSync(join(folder ?? '', level))
    expect(versions.length).toBeGreaterThan(30)
    for (const name of versions) {
      const version = parseVersion(name)
      if (version === undefined) throw new Error(`${name} is no version`)
      const rejected = ({ pod }: { readonly pod: Pod }): boolean =>
        evaluatePod({ level, version }, pod.metadata, pod.spec).length > 0
      const path = join(folder ?? '', level, name)
      expect(podsIn(join(path, 'pass')).filter(rejected)).toEqual([])
      expect(podsIn(join(path, 'fail')).filter((fixture) => !rejected(fixture))).toEqual([])
    }
  })
})
