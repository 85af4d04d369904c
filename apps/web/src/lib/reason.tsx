import type { CodedSentence } from '@mira/shared'
import { namesSetup } from '@mira/shared/constants/setup'
import { useSentenceText } from './sentences.ts'
import { SettingsLink } from './settings-link.tsx'

/** Why something is not there, in the person's language; administrators are led to where what it names is set. */
export function Reason({ error, told }: { error: string; told: CodedSentence[] | undefined }) {
  const said = useSentenceText()(error, told)
  return (
    <>
      {said}
      {namesSetup(said) && <SettingsLink />}
    </>
  )
}
