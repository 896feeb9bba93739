import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { afterAll, expect, test } from 'vitest'
import { deferredModules, entryOfGroup, withOutputNames } from './deferred.mjs'

const work = mkdtempSync(join(tmpdir(), 'edgeplane-deferred-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))

/** Bundles main.ts with `later.ts` in a group; returns the path of its output. */
async function bundle(name: string, main: string): Promise<string> {
  const root = join(work, name)
  mkdirSync(root)
  writeFileSync(join(root, 'main.ts'), main)
  writeFileSync(
    join(root, 'later.ts'),
    `const state = globalThis as { loads?: number }
state.loads = (state.loads ?? 0) + 1
export const limit = 3
export function* upTo(last: number) { for (let i = 1; i <= last; i++) yield i }
export const double = (value: number): number => 2 * value
export async function triple(value: number) { return 3 * value }
`,
  )
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { main: 'main.ts', later: entryOfGroup('later') },
    outdir: join(root, 'dist'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    minify: true,
    external: ['node:*'],
    metafile: true,
    logLevel: 'silent',
    plugins: [deferredModules(root, { later: ['later.ts'] })],
  })
  const names = { [entryOfGroup('later')]: 'later.mjs' }
  for (const output of Object.keys(metafile.outputs)) {
    const file = join(root, 'dist', basename(output))
    writeFileSync(file, withOutputNames(readFileSync(file, 'utf8'), names))
  }
  return join(root, 'dist/main.mjs')
}

test('a deferred module is loaded once, when one of its functions is called', async () => {
  const main = await bundle('functions', "export { double, triple, upTo } from './later.ts'\n")
  const { double, triple, upTo } = await import(pathToFileURL(main).href)
  const loads = (): unknown => Reflect.get(globalThis, 'loads')
  expect(loads()).toBeUndefined()
  expect([...upTo(3)]).toEqual([1, 2, 3])
  expect(loads()).toBe(1)
  expect(double(4)).toBe(8)
  expect(await triple(5)).toBe(15)
  expect(loads()).toBe(1)
})

test('a bundle that imports anything but functions from a deferred module is not built', async () => {
  await expect(bundle('constants', "import { limit } from './later.ts'\nconsole.log(limit)\n")).rejects.toThrow(
    'No matching export',
  )
})
