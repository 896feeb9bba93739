import type { Errors } from '../checks.ts'

/** A path that never goes up. */
export function checkNoBacksteps(path: string, field: string, errors: Errors): void {
  if (path.split('/').includes('..')) errors.invalid(field, path, "must not contain '..'")
}

/** A path below something: relative, and never up. */
export function checkDescendingPath(path: string, field: string, errors: Errors): void {
  if (path.startsWith('/')) errors.invalid(field, path, 'must be a relative path')
  checkNoBacksteps(path, field, errors)
}

/** The same, and not with a name that the kubelet keeps for itself. */
export function checkNonReservedPath(path: string, field: string, errors: Errors): void {
  checkDescendingPath(path, field, errors)
  if (path.startsWith('..') && path !== '..' && !path.startsWith('../')) errors.invalid(field, path, "must not start with '..'")
}

const highestMode = 0o777

/** The mode of a file. */
export function checkMode(mode: number | undefined, field: string, errors: Errors): void {
  if (mode === undefined || (mode >= 0 && mode <= highestMode)) return
  errors.invalid(field, mode, 'must be a number between 0 and 0777 (octal), both inclusive')
}
