import type { UpdateWebSettings, WebSettings } from '@mira/shared'
import { type WebSearchProvider, webSearchAddresses, webSearchProviders } from '@mira/shared/constants/agents'
import { languages } from '@mira/shared/constants/languages'
import {
  CONNECTION_URL_MAX_CHARACTERS,
  FEED_TITLE_MAX_CHARACTERS,
  FEED_URL_MAX_CHARACTERS,
} from '@mira/shared/constants/limits'
import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  CircleCheck,
  CircleMinus,
  CircleX,
  FlaskConical,
  type LucideIcon,
  Pencil,
  Plus,
  RotateCcw,
  Trash2,
} from 'lucide-react'
import { useRef, useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { randomUuid } from '../../../lib/browser/random-uuid.ts'
import { FormDialog } from '../../../lib/components/form-dialog.tsx'
import { LoadFailed } from '../../../lib/components/query-list.tsx'
import { useErrorText, useFieldErrors } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useSentenceText } from '../../../lib/i18n/sentences.ts'
import type { AdminSettingsCard } from '../../../lib/session/paths.ts'
import { Badge, type BadgeTone } from '../../../ui/badge.tsx'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Select } from '../../../ui/select.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { LoadingRegion, Skeleton } from '../../../ui/skeleton.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { useCloseIfMounted } from '../../../ui/use-close-if-mounted.ts'
import { KeyField, useKeyChange } from './setting-fields.tsx'
import { toForm } from './settings-form.ts'
import type { SettingsFields } from './use-settings-form.ts'

const MAX_FEEDS = 50

/** News feeds. */
export function FeedsCard({ fields }: { fields: SettingsFields }) {
  const text = useText('settings-admin')
  const list = useRef<HTMLUListElement>(null)
  const { form, change, answer } = fields
  const feeds = form.news_feeds

  const replace = (index: number, changed: Partial<(typeof feeds)[number]>) =>
    change({ news_feeds: feeds.map((feed, otherIndex) => (otherIndex === index ? { ...feed, ...changed } : feed)) })

  const add = () => {
    change({ news_feeds: [...feeds, { key: randomUuid(), title: '', url: '', language: 'en' }] })
    // after the field has been rendered
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>('li:last-child input')?.focus())
  }

  return (
    <Card id={'feeds' satisfies AdminSettingsCard} className="scroll-mt-40">
      <CardHeader
        title={text('feeds.title')}
        description={text('feeds.subtitle')}
        actions={
          <>
            {fields.isOverridden('news_feeds') && (
              <Button
                size="sm"
                icon={<RotateCcw aria-hidden />}
                onClick={() => change({ news_feeds: toForm(answer.defaults).news_feeds })}
              >
                {text('feeds.reset')}
              </Button>
            )}
            <Button size="sm" icon={<Plus aria-hidden />} disabled={feeds.length >= MAX_FEEDS} onClick={add}>
              {text('feeds.add')}
            </Button>
          </>
        }
      />
      {feeds.length === 0 && <p className="text-13 text-muted">{text('feeds.none')}</p>}
      <ul ref={list} className="-my-3 flex flex-col divide-y divide-border">
        {feeds.map((feed, index) => (
          <li key={feed.key} className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-2 py-3">
            <div className="grid min-w-0 gap-2 sm:grid-cols-[minmax(0,1fr)_8rem]">
              <TextField
                label={text('feeds.name', { number: index + 1 })}
                labelHidden
                placeholder={text('feeds.namePlaceholder')}
                value={feed.title}
                maxLength={FEED_TITLE_MAX_CHARACTERS}
                error={fields.errorOf(`news_feeds.${index}.title`)}
                onChange={(event) => replace(index, { title: event.target.value })}
              />
              <Select
                label={text('feeds.language', { number: index + 1 })}
                labelHidden
                value={feed.language}
                options={languages.map((language) => ({ value: language, label: text(`languages.${language}`) }))}
                onValueChange={(language) => replace(index, { language })}
              />
              <TextField
                className="sm:col-span-2"
                label={text('feeds.address', { number: index + 1 })}
                labelHidden
                type="url"
                inputMode="url"
                placeholder="https://"
                value={feed.url}
                maxLength={FEED_URL_MAX_CHARACTERS}
                error={fields.errorOf(`news_feeds.${index}.url`)}
                onChange={(event) => replace(index, { url: event.target.value })}
              />
            </div>
            <IconButton
              name={text('feeds.remove', { name: feed.title || String(index + 1) })}
              icon={<Trash2 />}
              variant="danger"
              onClick={() => change({ news_feeds: feeds.filter((_feed, otherIndex) => otherIndex !== index) })}
            />
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** Form for the web search engine: a service, or the operator's own SearXNG. The key is write-only. */
function WebSearchDialog({ settings, onSaved, onClose }: WebSearchDialogProps) {
  const text = useText('web')
  const errorText = useErrorText()
  const fieldErrors = useFieldErrors()
  const [provider, setProvider] = useState<WebSearchProvider | ''>(settings.provider ?? 'searxng')
  const [address, setAddress] = useState(settings.base_url ?? '')
  const keyChange = useKeyChange()
  const queryClient = useQueryClient()
  const [errors, setErrors] = useState<Record<string, string>>({})
  const close = useCloseIfMounted(onClose)
  const save = useMutation({
    mutationFn: (change: Partial<UpdateWebSettings>) => saveWebSettings(queryClient, change),
    onSuccess: (saved) => {
      onSaved(saved)
      close()
    },
    onError: (error) => {
      // the error isn't logged, because its message may contain the key
      console.error('The web search could not be saved')
      setErrors(fieldErrors(error))
    },
  })
  const submit = () => {
    const isMissing = provider !== '' && webSearchAddresses[provider] === null && address.trim() === ''
    setErrors(isMissing ? { base_url: text('form.addressRequired') } : {})
    if (isMissing) return
    save.mutate({
      provider: provider === '' ? null : provider,
      base_url: provider === '' || address.trim() === '' ? null : address,
      ...keyChange.change,
    })
  }
  const hasKey = settings.has_key && provider === settings.provider
  return (
    <FormDialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={text('form.title')}
      onSubmit={submit}
      submitLabel={text('form.save')}
      isBusy={save.isPending}
    >
      <div className="flex flex-col gap-4">
        {save.isError && Object.keys(errors).length === 0 && (
          <Banner tone="error">{errorText(save.error, text('failed'))}</Banner>
        )}
        <Select
          label={text('form.provider')}
          hint={text('form.providerHint')}
          value={provider}
          options={[
            ...webSearchProviders.map((value) => ({ value: value as string, label: text(`providers.${value}`) })),
            { value: '', label: text('none') },
          ]}
          onValueChange={(value) => {
            const choice = webSearchProviders.find((one) => one === value) ?? ''
            setProvider(choice)
            setAddress(choice === '' ? '' : (webSearchAddresses[choice] ?? ''))
          }}
        />
        {provider !== '' && (
          <>
            <TextField
              label={text('form.address')}
              type="url"
              required={webSearchAddresses[provider] === null}
              hint={text(`form.addressHint.${provider}`)}
              maxLength={CONNECTION_URL_MAX_CHARACTERS}
              autoComplete="off"
              spellCheck={false}
              value={address}
              error={errors.base_url}
              onChange={(event) => setAddress(event.target.value)}
            />
            <KeyField
              keyChange={keyChange}
              isKept={hasKey}
              hint={text(hasKey ? 'form.keyKept' : provider === 'searxng' ? 'form.keyHintOwn' : 'form.keyHint')}
              error={errors.api_key}
            />
          </>
        )}
      </div>
    </FormDialog>
  )
}

interface WebSearchDialogProps {
  settings: WebSettings
  onSaved: (settings: WebSettings) => void
  onClose: () => void
}

const webSettingsQuery = queryOptions({
  queryKey: ['admin-web'],
  queryFn: ({ signal }) => call('GET /admin/web', { signal }),
})

const looks: Record<WebSettings['check']['state'], { tone: BadgeTone; Icon: LucideIcon }> = {
  ok: { tone: 'success', Icon: CircleCheck },
  off: { tone: 'neutral', Icon: CircleMinus },
  error: { tone: 'danger', Icon: CircleX },
}

/** Saves changes on top of the latest settings, which another administrator may have changed. */
async function saveWebSettings(queryClient: QueryClient, change: Partial<UpdateWebSettings>): Promise<WebSettings> {
  const { allowed, provider, base_url } = await queryClient.fetchQuery({ ...webSettingsQuery, staleTime: 0 })
  return call('PUT /admin/web', { json: { allowed, provider, base_url, ...change } })
}

function cacheSettings(queryClient: QueryClient, settings: WebSettings): void {
  queryClient.setQueryData(webSettingsQuery.queryKey, settings)
  void queryClient.invalidateQueries({ queryKey: ['web'] })
}

/** Web access of conversations, and its search engine. */
export function WebCard() {
  const text = useText('web')
  const appText = useText('app')
  const query = useQuery(webSettingsQuery)
  return (
    <Card>
      <CardHeader title={text('title')} description={text('subtitle')} />
      {query.isLoadingError && <LoadFailed query={query} />}
      {query.isPending && (
        <LoadingRegion label={appText('common.loading')}>
          <Skeleton className="h-24" />
        </LoadingRegion>
      )}
      {query.data && <Settings settings={query.data} />}
    </Card>
  )
}

function Settings({ settings }: { settings: WebSettings }) {
  const text = useText('web')
  const errorText = useErrorText()
  const sentenceText = useSentenceText()
  const queryClient = useQueryClient()
  const [isEdited, setIsEdited] = useState(false)
  const { allowed, provider, base_url, has_key, check } = settings
  const { tone, Icon } = looks[check.state]
  const cacheSaved = (saved: WebSettings) => cacheSettings(queryClient, saved)
  const onError = (error: Error) => {
    console.error('Failed to change the web settings')
    showToast({ tone: 'danger', title: text('failed'), description: errorText(error) })
  }
  const allow = useMutation({
    mutationFn: (allowed: boolean) => saveWebSettings(queryClient, { allowed }),
    onSuccess: cacheSaved,
    onError,
  })
  const test = useMutation({ mutationFn: () => call('POST /admin/web/test'), onSuccess: cacheSaved, onError })
  return (
    <div className="flex flex-col gap-3">
      <Switch
        label={text('allow')}
        description={text('allowHint')}
        checked={allow.isPending ? allow.variables : allowed}
        disabled={allow.isPending}
        onCheckedChange={(isAllowed) => allow.mutate(isAllowed)}
      />
      <div className="flex flex-col gap-2 border-t border-border pt-3">
        <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-1.5">
          <div className="min-w-0 flex-1 basis-48">
            <h3 className="text-14 font-medium">{provider === null ? text('none') : text(`providers.${provider}`)}</h3>
            <p className="text-13 break-all text-muted">{base_url ?? text('noneHint')}</p>
            {has_key && <p className="text-13 text-muted">{text('hasKey')}</p>}
          </div>
          {provider !== null && (
            <Badge tone={tone} icon={<Icon aria-hidden />}>
              {text(`states.${check.state}`)}
            </Badge>
          )}
        </div>
        {check.reason && (
          <p className="text-13 break-words text-danger-text">{sentenceText(check.reason, check.told)}</p>
        )}
        <div className="flex flex-wrap gap-2">
          <Button size="sm" icon={<Pencil aria-hidden />} onClick={() => setIsEdited(true)}>
            {text(provider === null ? 'setUp' : 'edit')}
          </Button>
          {provider !== null && (
            <Button
              size="sm"
              icon={<FlaskConical aria-hidden />}
              loading={test.isPending}
              onClick={() => test.mutate()}
            >
              {text('test')}
            </Button>
          )}
        </div>
      </div>
      {isEdited && <WebSearchDialog settings={settings} onSaved={cacheSaved} onClose={() => setIsEdited(false)} />}
    </div>
  )
}
