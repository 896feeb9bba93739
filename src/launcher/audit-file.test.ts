import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { AuditFile, type Rotation } from './audit-file.ts'

const directory = mkdtempSync(join(tmpdir(), 'edgeplane-test-'))
const path = join(directory, 'audit.log')
const start = Date.UTC(2026, 10, 21, 19, 57)
const day = 24 * 60 * 60 * 1000
let now = start

beforeEach(() => {
  now = start
  for (const name of readdirSync(directory)) rmSync(join(directory, name))
})
afterAll(() => rmSync(directory, { recursive: true }))

const files = (): Record<string, string> =>
  Object.fromEntries(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'utf8')]))

function written(rotation: Partial<Rotation>, ...chunks: readonly string[]): Record<string, string> {
  const file = new AuditFile(path, { bytes: 10, backups: 0, days: 0, ...rotation }, () => now)
  for (const chunk of chunks) file.write(Buffer.from(chunk))
  file.close()
  return files()
}

test('lines are appended, and what is there stays', () => {
  writeFileSync(path, 'old\n')
  expect(written({}, 'new\n')).toEqual({ 'audit.log': 'old\nnew\n' })
})

test('a line is never cut, however it comes, and a long one has a file of its own', () => {
  expect(written({}, 'on', 'e\ntwo\n', 'three\nfou', 'r\n0123456789abcdef\nx\n')).toEqual({
    'audit-2026-11-21T19-57-00.000.log': 'one\ntwo\n',
    'audit-2026-11-21T19-57-00.001.log': 'three\n',
    'audit-2026-11-21T19-57-00.002.log': 'four\n',
    'audit-2026-11-21T19-57-00.003.log': '0123456789abcdef\n',
    'audit.log': 'x\n',
  })
})

test('only so many are kept, and only so long', () => {
  writeFileSync(join(directory, 'audit-other.log'), '')
  expect(Object.keys(written({ bytes: 2, backups: 2 }, '1\n2\n3\n4\n5\n'))).toEqual([
    'audit-2026-11-21T19-57-00.002.log',
    'audit-2026-11-21T19-57-00.003.log',
    'audit-other.log',
    'audit.log',
  ])
  now = start + 3 * day
  expect(Object.keys(written({ bytes: 2, days: 2 }, '6\n'))).toEqual([
    'audit-2026-11-24T19-57-00.000.log',
    'audit-other.log',
    'audit.log',
  ])
})

test('is for its owner alone', () => {
  written({ bytes: 2 }, '1\n2\n')
  for (const name of readdirSync(directory)) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600)
})
