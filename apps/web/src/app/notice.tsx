import type { ReactNode } from 'react'

/** Full-page message: what happened and what to do about it. */
export function Notice({ icon, title, text, action }: NoticeProps) {
  return (
    <div className="mx-auto flex w-full max-w-page flex-col items-center px-4 py-16 text-center sm:px-6 sm:py-24">
      <span
        aria-hidden
        className="mb-5 grid size-14 place-items-center rounded-card border border-border bg-surface-raised text-muted [&_svg]:size-7"
      >
        {icon}
      </span>
      <h1 className="text-24 font-semibold">{title}</h1>
      <p className="mt-2 max-w-sm text-14 text-pretty text-muted">{text}</p>
      <div className="mt-6 flex flex-wrap justify-center gap-2">{action}</div>
    </div>
  )
}

type NoticeProps = { icon: ReactNode; title: string; text: ReactNode; action: ReactNode }
