import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { liveServer } from './test/workerd/live-server.ts'

// Generated texts that tests and the code under test need are not committed.
execFileSync(process.execPath, ['scripts/openapi.mjs'], { cwd: import.meta.dirname, stdio: 'inherit' })

/** Milliseconds, of tests and of their hooks: no test is about time, and machines are slow at times. */
const timeouts = { testTimeout: 30_000, hookTimeout: 60_000 }

/** The runtime of the Worker and the Durable Objects in tests. */
const runtime = { compatibilityDate: '2026-09-01' }

/** The projects that contain property tests. */
const properties = {
  setupFiles: ['./test/property-seed.ts'],
  provide: { propertySeed: process.env.PROPERTY_SEED ?? '1' },
}

const nodeProject = (name: string, include: string[], more: object = {}) => ({
  test: { name, ...timeouts, maxConcurrency: 6, environment: 'node', include, ...more },
})

/**
 * Tests that depend on the placement of collections. They run over clusters with one object too; PLACEMENT=one-object runs all tests
 * over them.
 */
const placementTests = [
  'conformance/differential.test.ts',
  'test/http/api.test.ts',
  'test/http/custom-resources.test.ts',
  'test/http/garbage-collection.test.ts',
  'test/http/late-creates.test.ts',
  'test/http/resource-quota.test.ts',
  'test/http/volume-protection.test.ts',
  'test/http/admission-webhooks/effects.test.ts',
]
const oneObject = { PLACEMENT: 'one-object', REPLAY_EACH: '12' }

/**
 * `unit` holds the tests of pure code, `e2e` those that start servers, `clients` those that need programs which a machine may lack,
 * `workerd` those that need Durable Objects, in the real runtime. One of them: `vitest run --project workerd`.
 */
export default defineConfig({
  test: {
    reporters: ['default', './test/skipped-reporter.ts'],
    // Tests that start servers wait for a third of their time, so one file more than there are cores runs at once.
    maxWorkers: availableParallelism() + 1,
    projects: [
      // Pure code needs no process of its own for each file.
      nodeProject(
        'unit',
        [
          'src/**/*.test.ts',
          'scripts/**/*.test.ts',
          'lab/**/*.test.ts',
          'test/parsers/**/*.test.ts',
          'conformance/{scenario,recorded/*}.test.ts',
        ],
        { isolate: false, ...properties },
      ),
      nodeProject('e2e', [
        'test/{bindings,launcher,http,faults}/**/*.test.ts',
        'conformance/{differential,forked,authorization/*,plugins/*}.test.ts',
      ]),
      nodeProject('clients', ['test/clients/**/*.test.ts']),
      { test: { ...nodeProject('placement', placementTests).test, env: oneObject } },
      {
        plugins: [
          cloudflareTest({
            main: './test/workerd/store-object.ts',
            miniflare: {
              ...runtime,
              bindings: { PLACEMENT: process.env.PLACEMENT ?? '', SERVICE_ROUTES: 'default/live:443=binding:LIVE' },
              serviceBindings: { LIVE: liveServer },
              durableObjects: {
                STORES: { className: 'StoreObject', useSQLite: true },
                COLLECTION: { className: 'Collection', useSQLite: true },
                CONTROL: { className: 'Control', useSQLite: true },
              },
            },
          }),
        ],
        test: {
          name: 'workerd',
          ...timeouts,
          // Every test has objects with names of their own, so the files share one runtime: to start one for each costs more than the tests.
          isolate: false,
          ...properties,
          include: ['test/workerd/**/*.test.ts', 'test/contract/**/*.test.ts'],
        },
      },
    ],
  },
})
