import { Trans } from "@lingui/react/macro";
import { Component, type ReactNode } from "react";

interface State {
  error: Error | null;
}

/** A pane that crashes leaves the others working, and offers itself anew. */
export class PaneBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { error: null };

  static getDerivedStateFromError(error: Error): State {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <div className="state" role="alert">
        <p className="title">
          <Trans>This part of the page has failed.</Trans>
        </p>
        <p>
          <code>{error.message}</code>
        </p>
        <button type="button" className="btn" onClick={() => this.setState({ error: null })}>
          <Trans>Load this part again</Trans>
        </button>
      </div>
    );
  }
}
