import type { CodedSentence } from '@mira/shared'
import { settingsCodes } from '@mira/shared/constants/setup'
import { Link } from 'react-router-dom'
import { useText } from '../i18n/i18n.ts'
import { useSentenceText } from '../i18n/sentences.ts'
import { adminPath } from '../session/paths.ts'
import { useUser } from '../session/session.ts'

/** Link to the admin settings after a sentence; null for users who aren't administrators. */
export function SettingsLink() {
  const text = useText('app')
  if (useUser().role !== 'admin') return null
  return (
    <>
      {' '}
      <Link to={adminPath('settings')} className="text-accent-text underline underline-offset-2">
        {text('common.adminSettings')}
      </Link>
    </>
  )
}

/** Reason why something is unavailable, in the user's language; administrators get a link to the settings if it concerns a setting. */
export function Reason({ error, sentences = [] }: { error: string; sentences: CodedSentence[] | undefined }) {
  return (
    <>
      {useSentenceText()(error, sentences)}
      {sentences.some(({ code }) => settingsCodes.has(code)) && <SettingsLink />}
    </>
  )
}
