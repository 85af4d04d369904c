/** The mark of the app: an M under a star. Decoration beside the written name. */
export function BrandMark({ className = 'size-7' }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden className={className}>
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <path
        d="M8 23V13.6a1.6 1.6 0 0 1 2.86-.98L16 19.2l5.14-6.58A1.6 1.6 0 0 1 24 13.6V23"
        className="fill-none stroke-on-accent"
        strokeWidth="2.9"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <circle cx="16" cy="9" r="2.2" className="fill-on-accent" />
    </svg>
  )
}
