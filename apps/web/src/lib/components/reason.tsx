import type { CodedSentence } from '@mira/shared'
import { namesSetup } from '@mira/shared/constants/setup'
import { useSentenceText } from '../i18n/sentences.ts'
import { SettingsLink } from './settings-link.tsx'

/** Reason for something missing, in the user's language; administrators get a link to the setting it names. */
export function Reason({ error, sentences }: { error: string; sentences: CodedSentence[] | undefined }) {
  const sentence = useSentenceText()(error, sentences)
  return (
    <>
      {sentence}
      {namesSetup(sentence) && <SettingsLink />}
    </>
  )
}
