import type { CodedSentence } from '@mira/shared'
import { Link } from 'react-router-dom'
import { useText } from './i18n.ts'
import { adminPath } from './paths.ts'
import { namesSetup, useSentenceText } from './sentences.ts'
import { useUser } from './session.ts'

/** Why something is not there, in the person's language; administrators are led to where what it names is set. */
export function Reason({ error, told }: { error: string; told: CodedSentence[] | undefined }) {
  const text = useText('app')
  const said = useSentenceText()(error, told)
  const isAdmin = useUser().role === 'admin'
  return (
    <>
      {said}
      {isAdmin && namesSetup(said) && (
        <>
          {' '}
          <Link to={adminPath('settings')} className="text-accent-text underline underline-offset-2">
            {text('common.adminSettings')}
          </Link>
        </>
      )}
    </>
  )
}
