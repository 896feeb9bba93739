import { describe, expect, test } from 'vitest'
import * as access from './access-kinds.fixture.ts'
import * as admission from './admission-kinds.fixture.ts'
import * as machines from './machine-kinds.fixture.ts'
import { toldOfChange, toldOfNew } from './validated.fixture.ts'

describe.each([
  ['certificate requests, flow control and API services', access],
  ['the configuration of admission', admission],
  ['devices and storage', machines],
])('validation of %s: errors of kube-apiserver', (_name, { created, changed }) => {
  test.each(created)('create %s: %j', (...row) => {
    expect(toldOfNew(row)).toEqual(row[2])
  })

  test.each(changed)('update %s: %j to %j', (...row) => {
    expect(toldOfChange(row)).toEqual(row[3])
  })
})
