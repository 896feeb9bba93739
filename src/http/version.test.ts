import { expect, test } from 'vitest'
import { serveVersionInfo, sourceBuild } from './version.ts'

const ask = (path: string, init?: RequestInit): Response | undefined =>
  serveVersionInfo(new Request(`https://host${path}`, init), path, sourceBuild, {
    release: [1, 36],
    minimumCompatibility: [1, 35],
  })

test('GET /version returns release and build as indented JSON', async () => {
  const text =
    '{\n  "major": "1",\n  "minor": "36",\n  "emulationMajor": "1",\n  "emulationMinor": "36",\n  "minCompatibilityMajor": "1",\n  "minCompatibilityMinor": "35",\n  "gitVersion": "v1.36.3",\n  "gitCommit": "",\n  "gitTreeState": "clean",\n  "buildDate": "1970-01-01T00:00:00Z",\n  "goVersion": "",\n  "compiler": "edgeplane",\n  "platform": "workerd"\n}'
  expect(await ask('/version')?.text()).toBe(text)
  expect(await ask('/version/')?.text()).toBe(text)
})

test('/version allows only GET and application/json', () => {
  expect(() => ask('/version', { method: 'POST' })).toThrow(expect.objectContaining({ code: 405 }))
  expect(() => ask('/version', { headers: { accept: 'application/yaml' } })).toThrow(
    '406: Not Acceptable\n\nAvailable representations: application/json',
  )
  expect(ask('/version/x')).toBeUndefined()
})
