/** Property tests of decoding and defaulting for objects of every kind in the generated differential. */
import { expect, test } from 'vitest'
import { applyKindDefaults } from '../../src/catalog/defaulting/defaults.ts'
import type { Kind } from '../../src/catalog/kind.ts'
import { allKinds } from '../../src/catalog/scheme.ts'
import type { JsonObject } from '../../src/go/json-value.ts'
import type { KubernetesObject } from '../../src/meta/object-meta.ts'
import { decode } from '../../src/schema/decode.ts'
import { casesOf } from './cases.ts'
import { fullest } from './fullest.ts'
import { randomFrom, sampleOf } from './random.ts'
import { smallest } from './samples.ts'

const perKind = 300

/** Returns decodable objects of the kind, each with one field changed. */
function objectsOf(kind: Kind): KubernetesObject[] {
  const name = kind.group === '' ? kind.resource : `${kind.resource}.${kind.group}`
  const bases = [smallest[name], fullest[name]].filter((base) => base !== undefined)
  const cases = bases.flatMap((base) => casesOf(kind.type, { metadata: { name: 'case' }, ...base }))
  return sampleOf(cases, perKind, randomFrom(1)).flatMap(({ object }) => {
    try {
      return [decode(kind.type, object).object as unknown as KubernetesObject]
    } catch {
      return []
    }
  })
}

const kinds = [...allKinds()].map((kind) => [`${kind.apiVersion} ${kind.resource}`, kind] as const)

test.each(kinds)('%s: decoding and defaulting are idempotent', (_name, kind) => {
  for (const object of objectsOf(kind)) {
    expect(decode(kind.type, object as unknown as JsonObject).object).toEqual(object)
    applyKindDefaults(kind, object)
    const once = structuredClone(object)
    applyKindDefaults(kind, object)
    expect(object).toEqual(once)
  }
})

/** Converts a stored object to the kind's version and back. */
function roundTrip(kind: Kind, stored: KubernetesObject): KubernetesObject | undefined {
  const served = kind.conversion?.fromStorage(stored)
  return served === undefined ? undefined : kind.conversion?.toStorage(served)
}

test.each(kinds.filter(([, { conversion }]) => conversion !== undefined))('%s: conversion is lossless', (_name, kind) => {
  for (const object of objectsOf(kind)) {
    applyKindDefaults(kind, object)
    const there = kind.conversion?.toStorage(object)
    const again = there === undefined ? undefined : roundTrip(kind, there)
    // Zeros that older versions always write come back as values.
    expect(again).toMatchObject(there ?? {})
    expect(again === undefined ? undefined : roundTrip(kind, again)).toEqual(again)
  }
})
