import { expect, test } from 'vitest'
import { expectLinear } from '../../../../test/linear.ts'
import { isQualifiedInitiator } from './initiator.ts'

test.each([
  ['iqn.2001-04.com.example:storage', true],
  ['iqn.2001-04.com.example:storage:disk1.sys', true],
  ['iqn.2001-04.com.example:a:iqn.2001-04.b:', true],
  ['before iqn.2001-04.com.example:storage', true],
  ['iqn.2001-04.:storage', false],
  ['iqn.2001-04.com.example:', false],
  ['iqn.2001-04.com.example', false],
  ['iqn.2001-04.com.example:a b', false],
  ['iqn.2001-04.com_example:storage', false],
  ['iqn.2001-4.com.example:storage', false],
])('the iSCSI name %s is valid: %s', (name, isValid) => {
  expect(isQualifiedInitiator(name)).toBe(isValid)
})

test.each(['iqn.2001-01.', 'iqn.2001-01.a:', ':', 'a'])('%s is repeated in linear time', (unit) => {
  expectLinear((size) => {
    const name = unit.repeat(size)
    return () => isQualifiedInitiator(name)
  }, 2_000)
})
