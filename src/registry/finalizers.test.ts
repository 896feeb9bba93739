import { expect, test } from 'vitest'
import type { DeleteOptions } from '../clusters/operation.ts'
import { deletionFinalizers } from './finalizers.ts'
import type { GarbageCollectionPolicy } from './strategy-options.ts'

const F = 'foregroundDeletion'
const cases: [string[], DeleteOptions, GarbageCollectionPolicy, string[]][] = [
  [[], {}, 'DeleteDependents', []],
  [[], {}, 'OrphanDependents', ['orphan']],
  [[], {}, 'Unsupported', []],
  [[], { propagationPolicy: 'Foreground' }, 'Unsupported', []],
  [['a/b'], { propagationPolicy: 'Foreground' }, 'OrphanDependents', ['a/b', F]],
  [['a/b'], { propagationPolicy: 'Orphan' }, 'DeleteDependents', ['a/b', 'orphan']],
  [[], { propagationPolicy: 'Background' }, 'OrphanDependents', []],
  [[], { orphanDependents: true }, 'DeleteDependents', ['orphan']],
  [[], { orphanDependents: false }, 'OrphanDependents', []],
  // A finalizer of the object overrides the default of the kind, and the options of the deletion override the finalizer.
  [[F], {}, 'OrphanDependents', [F]],
  [['orphan', 'a/b'], {}, 'DeleteDependents', ['orphan', 'a/b']],
  [['orphan', 'a/b'], { propagationPolicy: 'Foreground' }, 'DeleteDependents', ['a/b', F]],
  [[F, 'a/b'], { propagationPolicy: 'Background' }, 'DeleteDependents', ['a/b']],
]

test.each(cases)(
  'finalizers %j after a DELETE with %j and the default policy %s: %j',
  (finalizers, options, policy, expected) => {
    expect(deletionFinalizers(finalizers, options, policy)).toEqual(expected)
  },
)
