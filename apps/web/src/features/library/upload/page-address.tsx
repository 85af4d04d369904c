import { PAGE_URL_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CheckCircle2, Globe, Info } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router-dom'
import { type KeptPage, keepPage } from '../../../lib/api/library.ts'
import { useFormat } from '../../../lib/format/format.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { paths } from '../../../lib/session/paths.ts'
import { Button } from '../../../ui/button.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { TextField } from '../../../ui/text-field.tsx'

/** Form for saving a web page by its URL. */
export function PageAddress() {
  const text = useText('upload')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const [url, setUrl] = useState('')
  const keep = useMutation({
    mutationFn: ({ address, again = false }: { address: string; again?: boolean }) => keepPage(address, { again }),
    onSuccess: () => {
      setUrl('')
      return queryClient.invalidateQueries({ queryKey: ['gallery'] })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (url.trim() !== '' && !keep.isPending) keep.mutate({ address: url.trim() })
  }
  const again = () => keep.variables && keep.mutate({ address: keep.variables.address, again: true })
  return (
    // on a phone what was shared or chosen is seen first
    <Card className="mt-4 max-sm:order-1">
      <CardHeader title={text('page.title')} description={text('page.description')} />
      <form onSubmit={submit} className="flex flex-col gap-2 sm:flex-row sm:items-start" noValidate>
        <TextField
          label={text('page.address')}
          labelHidden
          type="url"
          inputMode="url"
          autoComplete="off"
          icon={<Globe />}
          placeholder="https://"
          maxLength={PAGE_URL_MAX_CHARACTERS}
          value={url}
          error={keep.isError ? errorText(keep.error) : undefined}
          onChange={({ target }) => {
            setUrl(target.value)
            if (keep.isError) keep.reset()
          }}
          className="flex-1"
        />
        <Button type="submit" className="sm:h-10" loading={keep.isPending} disabled={url.trim() === ''}>
          {text('page.keep')}
        </Button>
      </form>
      <div role="status" className="text-14">
        {keep.isPending && <p className="mt-3 text-muted">{text('page.fetching')}</p>}
        {keep.data && !keep.isPending && <KeptLine page={keep.data} onAgain={again} />}
      </div>
    </Card>
  )
}

function KeptLine({ page: { item, isKnown }, onAgain }: { page: KeptPage; onAgain: () => void }) {
  const text = useText('upload')
  const format = useFormat()
  const Icon = isKnown ? Info : CheckCircle2
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-2">
      <p className="flex min-w-0 items-start gap-2">
        <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${isKnown ? 'text-muted' : 'text-success-text'}`} />
        <span className="min-w-0 wrap-anywhere">
          {isKnown ? text('page.known', { date: format.dateTime(item.metadata.created_at) }) : text('page.kept')}{' '}
          <Link to={`${paths.gallery}/${item.id}`} className="text-accent-text underline underline-offset-2">
            {item.metadata.source?.title ?? item.metadata.original_filename}
          </Link>
        </span>
      </p>
      {isKnown && (
        <Button size="sm" onClick={onAgain}>
          {text('page.again')}
        </Button>
      )}
    </div>
  )
}
