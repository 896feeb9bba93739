import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'

// The texts that tests and the code under test show, and what is made of them, are not committed.
execFileSync(process.execPath, ['scripts/openapi.mjs'], { cwd: import.meta.dirname, stdio: 'inherit' })

/** Milliseconds: no test is about time, and machines are slow at times. */
const testTimeout = 30_000

/** What the Worker and the Durable Objects of the tests run with, as the server does. */
const runtime = { compatibilityDate: '2026-09-01' }

const nodeProject = (name: string, include: string[]) => ({
  test: { name, testTimeout, maxConcurrency: 4, environment: 'node', include },
})

/**
 * `unit` runs pure code, `e2e` what starts servers, `clients` what needs programs that a machine may not have, `workerd` what needs
 * Durable Objects, in the real runtime. One of them: `vitest run --project workerd`.
 */
export default defineConfig({
  test: {
    reporters: ['default', './test/skipped-reporter.ts'],
    // Tests that start servers wait much of their time: one file for each core halves the time of the whole.
    maxWorkers: availableParallelism(),
    projects: [
      nodeProject('unit', [
        'src/**/*.test.ts',
        'scripts/**/*.test.ts',
        'test/parsers/**/*.test.ts',
        'test/recorded/**/*.test.ts',
      ]),
      nodeProject(
        'e2e',
        ['bindings', 'launcher', 'http', 'differential', 'faults'].map((folder) => `test/${folder}/**/*.test.ts`),
      ),
      nodeProject('clients', ['test/clients/**/*.test.ts']),
      {
        plugins: [
          cloudflareTest({
            main: './test/workerd/store-object.ts',
            miniflare: {
              ...runtime,
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
          testTimeout,
          include: ['test/workerd/**/*.test.ts', 'test/contract/**/*.test.ts'],
        },
      },
    ],
  },
})
