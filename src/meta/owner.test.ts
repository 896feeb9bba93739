import { expect, test } from 'vitest'
import { ownerOf, ownerOfText, ownersOf, ownerText, ownerTexts } from './owner.ts'

const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' }

test('an owner is read back from its text, whatever its uid is', () => {
  for (const uid of ['u', 'u","v', '', 'ü\n', '\\']) {
    const owner = ownerOf({ ...reference, uid }, 'ns')
    expect(ownerOfText(ownerText(owner))).toEqual(owner)
  }
})

test('all names of a uid are between the bounds of its texts, and no others', () => {
  const { from, to } = ownerTexts('u')
  const isWithin = (uid: string): boolean => {
    const text = ownerText(ownerOf({ ...reference, uid }, 'ns'))
    return text >= from && text < to
  }
  expect(isWithin('u')).toBe(true)
  for (const other of ['', 't', 'v', 'u1', 'uu', 'u","x', 'u-', 'u,']) expect([other, isWithin(other)]).toEqual([other, false])
})

test('references that name an owner twice block its deletion where one of them does', () => {
  const owners = ownersOf({ namespace: 'ns', ownerReferences: [{ ...reference, blockOwnerDeletion: true }, reference] })
  expect([...owners]).toEqual([[ownerText(ownerOf(reference, 'ns')), true]])
})
