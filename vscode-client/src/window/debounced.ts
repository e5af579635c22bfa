/** Does something when it was not asked for again for a while. */
export class Later {
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly ms: number, private readonly act: () => void) {}

  soon(): void {
    this.dispose();
    this.timer = setTimeout(this.act, this.ms);
  }

  dispose(): void {
    clearTimeout(this.timer);
  }
}
