import { languages } from '@mira/shared/constants/languages'
import { FEED_TITLE_MAX_CHARACTERS, FEED_URL_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { Plus, RotateCcw, Trash2 } from 'lucide-react'
import { useRef } from 'react'
import { randomUuid } from '../../../lib/browser/random-uuid.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import type { AdminSettingsCard } from '../../../lib/session/admin-settings-path.ts'
import { Button } from '../../../ui/button.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Select } from '../../../ui/select.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { toForm } from './settings-form.ts'
import type { SettingsFields } from './use-settings-form.ts'

const MAX_FEEDS = 50

/** The feeds that news are read from. */
export function FeedsCard({ fields }: { fields: SettingsFields }) {
  const text = useText('settings-admin')
  const list = useRef<HTMLUListElement>(null)
  const { form, change, answer } = fields
  const feeds = form.news_feeds

  const replace = (at: number, changed: Partial<(typeof feeds)[number]>) =>
    change({ news_feeds: feeds.map((feed, place) => (place === at ? { ...feed, ...changed } : feed)) })

  const add = () => {
    change({ news_feeds: [...feeds, { key: randomUuid(), title: '', url: '', language: 'en' }] })
    // the field is there after it was drawn
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>('li:last-child input')?.focus())
  }

  return (
    <Card id={'feeds' satisfies AdminSettingsCard} className="scroll-mt-40">
      <CardHeader
        title={text('feeds.title')}
        description={text('feeds.subtitle')}
        actions={
          <>
            {fields.isDecided('news_feeds') && (
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
        {feeds.map((feed, at) => (
          <li key={feed.key} className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-2 py-3">
            <div className="grid min-w-0 gap-2 sm:grid-cols-[minmax(0,1fr)_8rem]">
              <TextField
                label={text('feeds.name', { number: at + 1 })}
                labelHidden
                placeholder={text('feeds.namePlaceholder')}
                value={feed.title}
                maxLength={FEED_TITLE_MAX_CHARACTERS}
                error={fields.errorOf(`news_feeds.${at}.title`)}
                onChange={(event) => replace(at, { title: event.target.value })}
              />
              <Select
                label={text('feeds.language', { number: at + 1 })}
                labelHidden
                value={feed.language}
                options={languages.map((language) => ({ value: language, label: text(`languages.${language}`) }))}
                onValueChange={(language) => replace(at, { language })}
              />
              <TextField
                className="sm:col-span-2"
                label={text('feeds.address', { number: at + 1 })}
                labelHidden
                type="url"
                inputMode="url"
                placeholder="https://"
                value={feed.url}
                maxLength={FEED_URL_MAX_CHARACTERS}
                error={fields.errorOf(`news_feeds.${at}.url`)}
                onChange={(event) => replace(at, { url: event.target.value })}
              />
            </div>
            <IconButton
              name={text('feeds.remove', { name: feed.title || String(at + 1) })}
              icon={<Trash2 />}
              variant="danger"
              onClick={() => change({ news_feeds: feeds.filter((_feed, place) => place !== at) })}
            />
          </li>
        ))}
      </ul>
    </Card>
  )
}
