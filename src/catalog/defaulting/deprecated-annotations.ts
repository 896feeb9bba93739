/**
 * The annotations in which apps/v1 keeps fields of its first versions. kube-apiserver reads them into fields and writes them again.
 * Follows k8s.io/kubernetes/pkg/apis/apps/v1/conversion.go.
 */
import { parseInt64 } from '../../go/numbers.ts'
import { InternalConversionError } from '../../schema/decode-run.ts'
import { annotationOf, setAnnotation } from '../conversion/fields.ts'
import type { Rule } from './rule.ts'

/** The annotation with the revision to which a Deployment shall return. */
export const rollbackTo = 'deprecated.deployment.rollback.to'
/** The annotation with the generation of a DaemonSet's template. */
export const templateGeneration = 'deprecated.daemonset.template.generation'

/** Returns the text of an integer as Go writes it. */
function integerText(text: string, problem = ''): string {
  try {
    return String(parseInt64(text))
  } catch (error) {
    throw new InternalConversionError(`${problem}${(error as Error).message}`)
  }
}

/** Reads the revision of a Deployment. Empty text counts as absent. */
export const deploymentAnnotation: Rule = (deployment) => {
  const text = annotationOf(deployment, rollbackTo)
  if (text === undefined) return
  const problem = `failed to parse annotation[${rollbackTo}]=${text} as int64: `
  setAnnotation(deployment, rollbackTo, text === '' ? undefined : integerText(text, problem))
}

/** Reads the generation of a DaemonSet's template, which is 0 if it is absent. */
export const daemonSetAnnotation: Rule = (daemonSet) =>
  setAnnotation(daemonSet, templateGeneration, integerText(annotationOf(daemonSet, templateGeneration) ?? '0'))
