import type { AuthorizationQuery, ConsentQuestionJson, ProgramScope } from '@mira/shared'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { call } from '../../../../lib/api/client.ts'
import { assistantName } from '../../../../lib/browser/page-meta.ts'
import { useErrorText } from '../../../../lib/i18n/error-text.ts'
import { useText } from '../../../../lib/i18n/i18n.ts'
import { paths } from '../../../../lib/session/paths.ts'
import { useUser } from '../../../../lib/session/session.ts'
import { Banner } from '../../../../ui/banner.tsx'
import { Button, buttonClass } from '../../../../ui/button.tsx'
import { Checkbox } from '../../../../ui/checkbox.tsx'
import { LoadingRegion, Skeleton } from '../../../../ui/skeleton.tsx'
import { SignInLayout } from '../sign-in/sign-in-layout.tsx'

/** Consent page for an OAuth client, which screens call a program: its name and the requested permissions, to allow or deny. */
export function ConnectPage() {
  const text = useText('programs')
  const appText = useText('app')
  const errorText = useErrorText()
  const { search } = useLocation()
  const query = useMemo((): AuthorizationQuery => Object.fromEntries(new URLSearchParams(search)), [search])
  const {
    data: question,
    error,
    isPending,
  } = useQuery({
    queryKey: ['consent', search],
    queryFn: ({ signal }) => call('GET /oauth/consent', { query, signal }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  useEffect(() => {
    if (error) console.error('Failed to load the authorization request', error)
  }, [error])
  return (
    <SignInLayout
      title={
        question
          ? text('connect.title', { program: question.client_name, assistant: assistantName() })
          : text('connect.opening')
      }
      subtitle={text('connect.text')}
    >
      {isPending && (
        <LoadingRegion label={appText('common.loading')}>
          <Skeleton className="h-64" />
        </LoadingRegion>
      )}
      {error && (
        <div className="flex flex-col gap-4">
          <Banner tone="error">{errorText(error, text('connect.failed'))}</Banner>
          {/* A new document, which the program that opened this pop-up has no access to. */}
          <Link to={paths.dashboard} reloadDocument className={buttonClass({ size: 'lg' })}>
            {text('connect.leave')}
          </Link>
        </div>
      )}
      {question && <Consent query={query} question={question} />}
    </SignInLayout>
  )
}

function Consent({ query, question }: { query: AuthorizationQuery; question: ConsentQuestionJson }) {
  const text = useText('programs')
  const errorText = useErrorText()
  const user = useUser()
  const [scopes, setScopes] = useState<ProgramScope[]>(question.scopes)
  const decide = useMutation({
    mutationFn: (agreed: boolean) => call('POST /oauth/consent', { json: { ...query, agreed, scopes } }),
    onSuccess: ({ redirect_to: target }) => window.location.assign(target),
    onError: (error) => console.error('Failed to respond to the program', error),
  })
  if (decide.isSuccess) {
    const hasAgreed = decide.variables
    return (
      <Banner tone={hasAgreed ? 'success' : 'info'}>{text(hasAgreed ? 'connect.allowed' : 'connect.refused')}</Banner>
    )
  }
  return (
    <div className="flex flex-col gap-5">
      {decide.error && <Banner tone="error">{errorText(decide.error, text('connect.failed'))}</Banner>}
      <dl className="flex flex-col gap-3 text-14">
        <DetailRow name={text('connect.program')} value={question.client_name}>
          {question.client_host
            ? text('connect.describedBy', { host: question.client_host })
            : text('connect.unproven')}
        </DetailRow>
        <DetailRow name={text('connect.sentBackTo')} value={question.redirect_uri} />
        <DetailRow name={text('connect.account')} value={user.username} />
      </dl>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-2 text-14 font-medium">{text('connect.mayDo')}</legend>
        {question.scopes.map((scope) => (
          <Checkbox
            key={scope}
            label={text(`scope.${scope}`)}
            checked={scopes.includes(scope)}
            // every program needs to read
            disabled={scope === 'read'}
            onCheckedChange={(isChecked) =>
              setScopes(isChecked ? [...scopes, scope] : scopes.filter((other) => other !== scope))
            }
          />
        ))}
      </fieldset>
      <p className="text-13 text-muted">{text('connect.warning')}</p>
      <div className="flex flex-col gap-2">
        <Button
          variant="primary"
          size="lg"
          loading={decide.isPending && decide.variables}
          disabled={decide.isPending}
          onClick={() => decide.mutate(true)}
        >
          {text('connect.allow')}
        </Button>
        <Button
          size="lg"
          loading={decide.isPending && !decide.variables}
          disabled={decide.isPending}
          onClick={() => decide.mutate(false)}
        >
          {text('connect.refuse')}
        </Button>
      </div>
    </div>
  )
}

function DetailRow({ name, value, children }: { name: string; value: string; children?: string }) {
  return (
    <div>
      <dt className="text-13 text-muted">{name}</dt>
      <dd>
        <span className="font-medium wrap-anywhere">{value}</span>
        {children && <span className="block text-13 text-muted">{children}</span>}
      </dd>
    </div>
  )
}
