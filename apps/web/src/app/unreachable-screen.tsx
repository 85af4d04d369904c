import { RotateCw, ServerOff } from 'lucide-react'
import { useEffect } from 'react'
import { useErrorText } from '../lib/error-text.ts'
import { useText } from '../lib/i18n.ts'
import { assistantName } from '../lib/page-meta.ts'
import { session } from '../lib/session.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from './notice.tsx'

/** Error screen when the session couldn't be loaded; retries when the network returns. */
export function UnreachableScreen({ error }: { error: unknown }) {
  const text = useText('app')
  const errorText = useErrorText()

  useEffect(() => {
    window.addEventListener('online', session.retry)
    return () => window.removeEventListener('online', session.retry)
  }, [])

  return (
    <main className="grid min-h-dvh place-items-center">
      <div role="alert">
        <Notice
          icon={<ServerOff />}
          title={text('unreachable.title', { assistant: assistantName() })}
          text={
            <>
              {errorText(error)} {text('unreachable.text')}
            </>
          }
          action={
            <Button variant="primary" icon={<RotateCw aria-hidden />} onClick={session.retry}>
              {text('common.retry')}
            </Button>
          }
        />
      </div>
    </main>
  )
}
