/** Warnings of Pods that break a rule many times: as kube-apiserver finds them, in time and memory that the Pod's length bounds. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectLinear } from '../../../test/linear.ts'
import { WarningRecorder } from '../../meta/warnings.ts'
import type { ContainerPort, PodSpec } from '../generated/types/core.v1.ts'
import { type File, overlapsOf } from './overlapping-paths.ts'
import { warnOfPorts } from './pod-ports.ts'

const podOf = (ports: readonly Partial<ContainerPort>[]): PodSpec =>
  ({ containers: [{ name: 'c', ports }] }) as unknown as PodSpec

function portWarnings(ports: readonly Partial<ContainerPort>[]): readonly string[] {
  const warnings = new WarningRecorder()
  warnOfPorts(podOf(ports), 'spec', warnings)
  return warnings.texts
}

/** Compares each port with each earlier one, as kube-apiserver does. */
function comparedPorts(ports: readonly Partial<ContainerPort>[]): string[] {
  return ports.flatMap(({ containerPort, hostPort = 0, hostIP = '' }, index) => {
    const at = `spec.containers[0].ports[${index}]`
    return ports.slice(0, index).flatMap((other, place) => {
      const isSame = hostPort === (other.hostPort ?? 0) && hostIP === (other.hostIP ?? '')
      const isOverlapping = hostPort === 0 || (other.hostPort ?? 0) === 0
      const isAmbiguous = hostPort === other.hostPort && (hostIP === '') !== ((other.hostIP ?? '') === '')
      if (containerPort !== other.containerPort || !(isSame || isOverlapping || isAmbiguous)) return []
      const conflict = isSame ? 'duplicate' : isOverlapping ? 'overlapping' : 'dangerously ambiguous'
      return [`${at}: ${conflict} port definition with spec.containers[0].ports[${place}]`]
    })
  })
}

describe('duplicate ports', () => {
  test('are those that a comparison of all pairs finds', () => {
    const port = fc.record(
      {
        containerPort: fc.constantFrom(1, 2),
        hostPort: fc.constantFrom(0, 80, 81),
        hostIP: fc.constantFrom('', '10.0.0.1', '10.0.0.2'),
      },
      { requiredKeys: ['containerPort'] },
    )
    fc.assert(
      fc.property(fc.array(port, { maxLength: 7 }), (ports) => {
        const found = portWarnings(ports).filter((text) => !text.includes('hostIP set without'))
        expect(found).toEqual(comparedPorts(ports))
      }),
    )
  })

  test('of a Pod with 16,000 equal ports are as many as a response contains', () => {
    const texts = portWarnings(Array.from({ length: 16_000 }, () => ({ containerPort: 1 })))
    expect(texts.length).toBeGreaterThan(40)
    expect(texts.length).toBeLessThan(100)
  })

  test('are searched in linear time, also if no port conflicts with another', () => {
    expectLinear((size) => {
      const ports = Array.from({ length: size }, (_none, index) => ({ containerPort: 1, hostPort: 1 + index }))
      return () => portWarnings(ports)
    }, 1_000)
  })
})

const pairsOf = (files: readonly File[]): string[] => [
  ...new Set([...overlapsOf(files)].map(([a, b]) => `${a.path} ${a.source} ${b.path} ${b.source}`)),
]

/** Compares each path with each earlier one, as kube-apiserver does. */
function comparedPairs(files: readonly File[]): string[] {
  const trimmed = files.map(({ path, source }) => ({ path: path.replace(/\/+$/, ''), source }))
  const pairs = trimmed.flatMap((file, index) =>
    trimmed.slice(0, index).flatMap((other) => {
      if (file.path === '' || other.path === '') return []
      const isBelow = `${file.path}/`.startsWith(`${other.path}/`) || `${other.path}/`.startsWith(`${file.path}/`)
      return isBelow ? [`${file.path} ${file.source} ${other.path} ${other.source}`] : []
    }),
  )
  return [...new Set(pairs)]
}

describe('overlapping paths', () => {
  test('are those that a comparison of all pairs finds', () => {
    const path = fc.array(fc.constantFrom('a', 'b', '-', '/'), { maxLength: 6 }).map((parts) => parts.join(''))
    const file = fc.record({ path, source: fc.constantFrom('x', 'y') })
    fc.assert(
      fc.property(fc.array(file, { maxLength: 12 }), (files) => {
        expect(pairsOf(files)).toEqual(comparedPairs(files))
      }),
      { numRuns: 500 },
    )
  })

  test.each<[string, (index: number) => string]>([
    ['different', (index) => `f${index}`],
    ['equal', () => 'f'],
    ['with many slashes', (index) => `${index}${'/'.repeat(100)}b`],
  ])('are searched in linear time: %s', (_what, pathOf) => {
    expectLinear((size) => {
      const files = Array.from({ length: size }, (_none, index) => ({ path: pathOf(index), source: '' }))
      return () => pairsOf(files)
    }, 500)
  })
})
