/**
 * The kits for tests of controllers: their examples pass, also with an operator that has webhooks, and a failed test shows the
 * requests of its cluster.
 */
import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const kits = join(root, 'kits')
const EDGEPLANE = `${process.execPath} ${join(root, 'bin/edgeplane.mjs')}`
const minutes = 60_000
const folder = mkdtempSync(join(tmpdir(), 'edgeplane-kits-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Outcome {
  readonly code: number
  readonly output: string
}

/** The operator that the examples test, in the environment; empty until it has been built, or without Go. */
let operator: Readonly<Record<string, string>> = {}

/** Runs a program. The code is -1 if it does not exist or takes too long. */
const run = (program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}, cwd = kits) =>
  new Promise<Outcome>((done) => {
    // Node's test runner reports to its parent if this process is a test.
    const { NODE_TEST_CONTEXT: _, ...own } = process.env
    const options = { cwd, env: { ...own, EDGEPLANE, ...operator, ...env }, timeout: 5 * minutes, maxBuffer: 1 << 24 }
    execFile(program, [...args], options, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : -1
      done({ code: error === null ? 0 : code, output: stdout + stderr })
    })
  })

const source = join(root, 'test/clients/operator')
const built = await run('go', ['build', '-buildvcs=false', '-o', join(folder, 'operator'), '.'], {}, source)
if (built.code === 0) operator = { OPERATOR: join(folder, 'operator'), OPERATOR_CONFIG: join(source, 'lamps') }
else console.info('the operator is skipped: there is no Go, or its modules cannot be had')
/** The number of tests of an operator in each kit. */
const ofOperator = built.code === 0 ? 1 : 0

const python = (await run('python3', ['-m', 'pytest', '--version'])).code === 0
const modules = await run('go', ['mod', 'download'], {}, join(kits, 'go'))
const crates = await run('cargo', ['fetch', '--locked'], {}, join(kits, 'rust'))
const junit = await junitConsole()
if (!python) console.info('pytest-edgeplane is skipped: there is no pytest')
if (modules.code !== 0) console.info('edgeplanetest is skipped: there is no Go, or its modules cannot be had')
if (crates.code !== 0) console.info('edgeplane-test is skipped: there is no Cargo, or its crates cannot be had')
if (junit === undefined) console.info('edgeplane-junit is skipped: there is no JDK or no Maven, or JUnit cannot be had')

/** Gives the jar with which JUnit runs from the command line, which Maven downloads once; undefined if it cannot be had. */
async function junitConsole(): Promise<string | undefined> {
  const [name, version] = ['junit-platform-console-standalone', '1.11.4']
  const jar = join(homedir(), `.m2/repository/org/junit/platform/${name}/${version}/${name}-${version}.jar`)
  if ((await run('javac', ['-version'])).code !== 0) return undefined
  if (!existsSync(jar)) await run('mvn', ['-q', '-B', 'dependency:get', `-Dartifact=org.junit.platform:${name}:${version}`])
  return existsSync(jar) ? jar : undefined
}

/** The line of a failed create in the table of requests. */
const failedCreate = /create +configmaps +default +409/

describe('edgeplane/testing', () => {
  test('passes its example with node:test', { timeout: minutes }, async () => {
    const { code, output } = await run(process.execPath, ['--test', ...globSync('javascript/example/*.test.mjs', { cwd: kits })])
    expect(code, output).toBe(0)
    expect(output).toContain(`pass ${2 + ofOperator}`)
  })

  const steps = `
    const path = '/api/v1/namespaces/default/configmaps'
    const body = { metadata: { name: 'a' } }
    await cluster.request(path, { method: 'POST', body })
    const { status } = await cluster.request(path, { method: 'POST', body })
    if (status !== 201) throw new Error('the test fails')`

  test('prints the requests of a failed test', { timeout: minutes }, async () => {
    const file = join(folder, 'fails.test.mjs')
    const kit = JSON.stringify(join(kits, 'javascript/testing.mjs'))
    writeFileSync(
      file,
      `import { test } from 'node:test'\nimport { withCluster } from ${kit}\ntest('fails', withCluster(async (cluster) => {${steps}\n}))`,
    )
    const { code, output } = await run(process.execPath, ['--test', file])
    expect(code).toBe(1)
    expect(output).toMatch(failedCreate)
  })

  test('has a fixture for vitest, which does the same', { timeout: minutes }, async () => {
    // The file must be where it finds vitest.
    const file = join(mkdtempSync(join(root, 'node_modules/.vitest-kits-')), 'fails.test.mjs')
    const kit = JSON.stringify(join(kits, 'javascript/testing.mjs'))
    writeFileSync(
      file,
      `import { test as base } from 'vitest'\nimport { clusterFixture } from ${kit}
       base.extend({ cluster: clusterFixture() })('fails', async ({ cluster }) => {${steps}\n})`,
    )
    const config = join(file, '../vitest.config.mjs')
    writeFileSync(config, `export default { test: { include: ['*.test.mjs'], exclude: [], globalSetup: [${kit}] } }`)
    const { code, output } = await run(
      process.execPath,
      [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', config, '--root', join(file, '..')],
      {},
      join(file, '..'),
    )
    rmSync(join(file, '..'), { recursive: true, force: true })
    expect(code, output).toBe(1)
    expect(output).toMatch(failedCreate)
  })
})

describe.skipIf(!python)('pytest-edgeplane', () => {
  const pytest = (file: string): Promise<Outcome> =>
    run('python3', ['-m', 'pytest', '-p', 'pytest_edgeplane.plugin', '-p', 'no:cacheprovider', file], {
      PYTHONPATH: join(kits, 'python/src'),
      PYTHONDONTWRITEBYTECODE: '1',
    })

  test('passes its example', { timeout: minutes }, async () => {
    const { code, output } = await pytest('python/tests')
    expect(code, output).toBe(0)
    expect(output).toContain(`${3 + ofOperator} passed`)
  })

  test('prints the requests of a failed test', { timeout: minutes }, async () => {
    const file = join(folder, 'test_fails.py')
    const create = "edgeplane_cluster.request('POST', '/api/v1/namespaces/default/configmaps', {'metadata': {'name': 'a'}})"
    writeFileSync(file, `def test_fails(edgeplane_cluster):\n    ${create}\n    assert ${create}.status == 201\n`)
    const { code, output } = await pytest(file)
    expect(code).toBe(1)
    expect(output).toMatch(failedCreate)
  })
})

describe.skipIf(modules.code !== 0)('edgeplanetest', () => {
  const goTest = (...args: string[]): Promise<Outcome> =>
    run('go', ['test', '-vet=off', '-count=1', '-v', ...args], { GOFLAGS: '-buildvcs=false' }, join(kits, 'go'))

  test('passes its example', { timeout: 5 * minutes }, async () => {
    const { code, output } = await goTest('.')
    expect(code, output).toBe(0)
    expect(output).toContain('--- PASS: TestAConflictIsRepeated')
    expect(output).toContain(`--- ${ofOperator === 1 ? 'PASS' : 'SKIP'}: TestAnOperator`)
  })

  test('prints the requests of a failed test', { timeout: minutes }, async () => {
    const { code, output } = await goTest('-tags', 'failing', '-run', 'TestThatFails', './internal/failing')
    expect(code).toBe(1)
    expect(output).toMatch(failedCreate)
  })
})

describe.skipIf(junit === undefined)('edgeplane-junit', () => {
  const java = join(kits, 'java')
  const jar = junit ?? ''
  const classes = join(folder, 'classes')
  // For a program of seconds, the compiler that optimizes costs more than it gains.
  const quick = '-XX:TieredStopAtLevel=1'
  const jupiter = (...args: string[]): Promise<Outcome> =>
    run('java', [quick, '-jar', jar, 'execute', '-cp', classes, '--details=tree', '--disable-banner', ...args], {}, java)

  const failing = `
    import dev.edgeplane.junit.*;
    @org.junit.jupiter.api.extension.ExtendWith(EdgeplaneExtension.class)
    class FailingTest {
      @org.junit.jupiter.api.Test
      void fails(Cluster cluster) {
        for (int i = 0; i < 2; i++) {
          var body = java.util.Map.<String, Object>of("metadata", java.util.Map.of("name", "a"));
          var response = cluster.request("POST", "/api/v1/namespaces/default/configmaps", body);
          org.junit.jupiter.api.Assertions.assertEquals(201, response.status());
        }
      }
    }`

  test('passes its example, and prints the requests of a failed test', { timeout: 2 * minutes }, async () => {
    mkdirSync(classes)
    writeFileSync(join(folder, 'FailingTest.java'), failing)
    const sources = [...globSync('src/**/*.java', { cwd: java }), join(folder, 'FailingTest.java')]
    const compiled = await run('javac', [`-J${quick}`, '-d', classes, '-cp', jar, '-Xlint:all', '-Werror', ...sources], {}, java)
    expect(compiled.code, compiled.output).toBe(0)
    const { code, output } = await jupiter('--select-package=example', '--select-class=FailingTest')
    expect(code).toBe(1)
    expect(output).toContain(`${2 + ofOperator} tests successful`)
    expect(output).toMatch(/1 tests failed/)
    expect(output).toMatch(failedCreate)
  })
})

describe.skipIf(crates.code !== 0)('edgeplane-test', () => {
  test('passes its example, and prints the requests of a failed test', { timeout: 5 * minutes }, async () => {
    const target = join(root, 'node_modules/.cache/edgeplane-kits-rust')
    const args = ['test', '--locked', '--offline', '--tests', '--', '--nocapture']
    const { code, output } = await run('cargo', args, { CARGO_TARGET_DIR: target }, join(kits, 'rust'))
    expect(code, output).toBe(0)
    expect(output).toContain('3 passed')
    expect(output).toContain('an_operator_converts')
    expect(output.includes('OPERATOR is not set')).toBe(ofOperator === 0)
    expect(output).toMatch(failedCreate)
  })
})
