import { type Sentence, say } from '@mira/shared'
import { connectionReasons, type RemoteFailure, type RemoteRequest } from './errors.ts'

/**
 * The failure of a connection that has a name, or of a model that a person picked: nothing of it is mended in the
 * environment.
 */
export function inWordsOfPage(failure: RemoteFailure, name: string, request: RemoteRequest): RemoteFailure {
  const sentence = sentenceOf(failure, name, request)
  return sentence === null ? failure : { ...failure, sentence: sentence.text, told: sentence.told }
}

function sentenceOf({ code, told }: RemoteFailure, name: string, { address, model }: RemoteRequest): Sentence | null {
  switch (code) {
    case 'model_unreachable': {
      const cause = String(told[0]?.params.cause ?? '')
      const reason = connectionReasons[cause]
      const text = `The connection "${name}" cannot be reached at ${address}${reason ? `: ${reason}` : ''}. Administrators can change it under Admin, Settings.`
      return say('connection_unreachable', { name, address, cause }, text)
    }
    case 'model_key_refused': {
      const text = `The connection "${name}" refuses its key. Administrators can enter another one under Admin, Settings.`
      return say('connection_key_refused', { name }, text)
    }
    case 'model_not_found': {
      const text = `The connection "${name}" does not have the model "${model}" any more. Pick another one.`
      return say('connection_without_model', { name, model }, text)
    }
    default:
      return null
  }
}
