import { Moon, Sun } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { useLocation } from 'react-router-dom'
import { ApiError } from '../../api/client.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { useText } from '../../lib/i18n.ts'
import { readLoginState } from '../../lib/navigation-state.ts'
import { assistantName } from '../../lib/page-meta.ts'
import { session } from '../../lib/session.ts'
import { chooseTheme, useTheme } from '../../lib/theme.ts'
import { Badge } from '../../ui/badge.tsx'
import { Banner } from '../../ui/banner.tsx'
import { BrandMark } from '../../ui/brand-mark.tsx'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { LanguageSelect } from './language-select.tsx'

/** The sign-in screen (spec §2.3). Who is signed in by it is led on by the router. */
export function LoginPage() {
  const text = useText('users')
  const appText = useText('app')
  const { hasExpired } = readLoginState(useLocation())
  const { theme } = useTheme()
  const isDark = theme === 'dark'

  return (
    <div className="grid min-h-dvh grid-rows-[auto_1fr_auto] bg-[radial-gradient(75rem_36rem_at_50%_-12rem,var(--accent-soft),transparent)]">
      <header className="flex justify-end p-3 sm:p-4">
        <IconButton
          name={appText(isDark ? 'nav.toLight' : 'nav.toDark')}
          icon={isDark ? <Sun aria-hidden /> : <Moon aria-hidden />}
          tooltipSide="bottom"
          onClick={() => chooseTheme(isDark ? 'light' : 'dark')}
        />
      </header>
      <main className="flex flex-col items-center justify-center px-4 pb-6">
        <BrandMark className="size-14" />
        <Badge tone="accent" className="mt-4">
          {appText('badge')}
        </Badge>
        <h1 className="mt-3 text-center text-24 font-semibold sm:text-32">
          {text('login.welcome', { assistant: assistantName() })}
        </h1>
        <p className="mt-1.5 text-center text-16 text-muted">{text('login.subtitle')}</p>
        <div className="mt-7 w-full max-w-100 rounded-card border border-border bg-surface-raised p-5 shadow-float sm:p-7">
          <LoginForm hasExpired={hasExpired === true} />
        </div>
      </main>
      <footer className="flex justify-center p-4 pb-[max(1rem,env(safe-area-inset-bottom))]">
        <LanguageSelect />
      </footer>
    </div>
  )
}

function LoginForm({ hasExpired }: { hasExpired: boolean }) {
  const text = useText('users')
  const appText = useText('app')
  const [failure, setFailure] = useState<unknown>(null)
  const [isSubmitting, setIsSubmitting] = useState(false)
  const form = useRef<HTMLFormElement>(null)

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    setIsSubmitting(true)
    setFailure(null)
    try {
      await session.login(String(fields.get('username')), String(fields.get('password')))
    } catch (error) {
      console.error('The sign-in failed', error)
      setFailure(error)
      setIsSubmitting(false)
      form.current?.querySelector<HTMLInputElement>('[name=password]')?.select()
    }
  }

  return (
    <form ref={form} onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      {failure !== null && <LoginFailure error={failure} />}
      {hasExpired && failure === null && <Banner tone="info">{text('login.expired')}</Banner>}
      <TextField
        label={text('login.username')}
        name="username"
        required
        autoFocus
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={254}
        readOnly={isSubmitting}
      />
      <PasswordField
        label={text('login.password')}
        showLabel={appText('common.showPassword')}
        hideLabel={appText('common.hidePassword')}
        name="password"
        required
        autoComplete="current-password"
        maxLength={1000}
        readOnly={isSubmitting}
      />
      <Button type="submit" variant="primary" size="lg" loading={isSubmitting} className="mt-2 w-full">
        {text(isSubmitting ? 'login.submitting' : 'login.submit')}
      </Button>
    </form>
  )
}

/** The server's sentence, or "Login failed" and what is known about why (spec §8). */
function LoginFailure({ error }: { error: unknown }) {
  const text = useText('users')
  const errorText = useErrorText()
  const hasAnswer = error instanceof ApiError && error.code !== 'network' && error.code !== 'http'
  return (
    <Banner tone="error" title={hasAnswer ? undefined : text('login.failed')}>
      {errorText(error)}
    </Banner>
  )
}
